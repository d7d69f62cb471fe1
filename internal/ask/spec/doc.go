// Package spec reads and writes what people write by hand: a profile of their
// own and an experiment in YAML, and their own fio job files.
//
// Its opinion: a file is read strictly or not at all. An unknown field, a
// duplicate name or a depth of 0 is an error at its line and column, shown with
// a caret and the nearest word that would have been right; nothing is guessed,
// because a benchmark that ignored a typo would measure something else than what
// its file says. Every error is a *model.WorkerError of class Refused.
package spec
