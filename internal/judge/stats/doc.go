// Package stats contains the estimators behind Loadline's intervals, as pure functions of float64: no
// clock, no randomness without a fixed seed, no storage terms.
//
// Its assumptions: a second of storage is not an independent observation. Whatever is published must be
// robust against correlation between seconds, a slow spell that lasts for a repeat, and a stopping rule
// that depends on the data; the simulations of test/perf show how far it is.
package stats
