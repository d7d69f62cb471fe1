// Package kbench implements what Kbench's users see: its environment variables and arguments, its
// twelve jobs and their files, its summary and its comparison. A Session measures as run.sh does and
// writes its files; the rest are pure functions.
//
// Its assumptions: users who only change the image must not notice any difference except better
// numbers, so names, columns and truncation are Kbench's to the byte; but its bugs are not reproduced.
// Jobs are read by name and never by position, a number goes to the file that its aspect names, and a
// missing name is an error.
package kbench
