// Package engine executes a plan: it drives the workers at the other ends of byte streams, runs the
// workloads in rounds, asks a judge what needs more rounds, and passes everything to a recorder as it
// arrives. Its assumptions: it knows no tool, no file and no cluster, only the types of package model and
// the small interfaces below; it does one step at a time, at all workers together.
package engine

import "github.com/loadline/loadline/internal/env"

// system is the clock for timeouts: how long the engine waits for workers on other machines does not depend
// on Options.Now, the clock that dates a run.
var system env.Clock
