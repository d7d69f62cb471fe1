// Package imported reads the results of other tools: one file per format, one line
// of registration each in formats.go.
//
// Its opinion: a figure is taken for what its source says and never for more. A unit
// is read and not assumed, a number that is missing stays missing, and whatever makes
// a source doubtful (an early end, a load that was not applied, holes in its text) is
// handed on as evidence for the rules of trust. What cannot be read is refused with
// the line up to which it was understood.
package imported
