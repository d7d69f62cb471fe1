// Package checks tells a CI system what a report asked and answered: each goal, each row of
// a comparison and each result is a check that passed, failed, was skipped or went wrong, as
// JUnit XML and as GitHub's annotations. Its opinion: a check says what the exit code says,
// and what is unclear never counts as passed.
package checks
