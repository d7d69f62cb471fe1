// Package engine executes a plan: it drives the workers at the other ends of
// byte streams, runs the workloads in rounds, lets a judge say what needs more
// rounds, and hands everything to a recorder as it arrives. Its opinion: it knows
// no tool, no file and no cluster, only the words of package model and the small
// interfaces below; one step at a time, at all workers together.
package engine

import "github.com/loadline/loadline/internal/env"

// system is the time that workers on other machines take to answer: how long they are
// waited for does not depend on the clock by which a run is dated, Options.Now.
var system env.Clock
