// Package imported reads the results of other tools: one file per format, each registered by one line
// in formats.go.
//
// Its assumptions: a figure means exactly what its source says and no more. A unit is read and not
// assumed, a missing number stays missing, and whatever makes a source doubtful (an early end, a load
// that was not applied, gaps in its text) is passed on as evidence for the rules of trust. Input that
// cannot be read is refused, giving the line up to which it was understood.
package imported
