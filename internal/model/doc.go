// Package model defines Loadline's data types: what the user asked for (Experiment), how it will be
// done (Plan), what came out (Run, Sample), what that means (Estimate, Finding, Verdict) and all of it
// together (Report), plus the messages exchanged between the engine and a worker.
//
// Its assumptions: internally all units are base units (seconds, bytes, 1/s), data is immutable once
// written, and nothing here does I/O or depends on a particular tool. Besides the standard library it
// imports only packages below it that do not import it, so every other package may import it.
package model
