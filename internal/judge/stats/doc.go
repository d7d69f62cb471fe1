// Package stats holds the estimators that Loadline's intervals rest on, as pure
// functions of float64: no clock, no randomness without a fixed seed, no words
// of storage.
//
// Its opinion: a second of storage is not an independent observation. Whatever
// is published must survive correlation between seconds, a slow spell that lasts for
// a repeat, and a rule that looks at the data to decide when to stop; the
// simulations of test/perf show how far it does.
package stats
