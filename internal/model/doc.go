// Package model holds the words of Loadline as data: what the user asked for
// (Experiment), how it will be done (Plan), what came out (Run, Sample), what
// that means (Estimate, Finding, Verdict) and all of it together (Report); and
// the messages that travel between the engine and a worker.
//
// Its opinion: units are base units inside (seconds, bytes, 1/s), data is
// immutable once written, and nothing here does I/O or knows a tool. It imports
// the standard library only, so every other package may import it.
package model
