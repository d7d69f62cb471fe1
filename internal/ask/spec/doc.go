// Package spec reads and writes the files that users write by hand: profiles and experiments in YAML,
// and fio job files.
//
// Its assumptions: a file is read strictly or not at all. An unknown field, a duplicate name or a depth
// of 0 is an error at its line and column, shown with a caret and the nearest valid word; nothing is
// guessed, because a benchmark that ignored a typo would measure something other than what its file
// says. Every error is a *model.WorkerError of class Refused.
package spec
