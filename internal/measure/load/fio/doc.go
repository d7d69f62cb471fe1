// Package fio drives fio, the load generator of the field.
//
// Its opinion: fio does the I/O and is believed for what it counted, but never
// for having gone well. One process runs at a time, its cumulative status
// documents are differenced into seconds while it runs, and everything that is
// not a whole, error-free step (a signal, a failed I/O, silence, rubbish, an
// early end) becomes a sentence beside whatever was measured.
package fio
