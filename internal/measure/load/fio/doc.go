// Package fio drives fio, the standard I/O load generator.
//
// Its assumptions: fio does the I/O and its counts are trusted, but success is never assumed. One
// process runs at a time, its cumulative status documents are differenced into seconds while it
// runs, and anything other than a complete, error-free step (a signal, a failed I/O, silence,
// garbage output, an early end) is reported as a message beside whatever was measured.
package fio
