// Package session brings workers, volumes and runs together: it starts a worker where each target is, on
// this machine, on hosts over ssh or in pods; has it probe the target; plans; carries out the plan, and
// records it together with what is observed beside it. At the end it removes what it has created.
//
// Its assumptions: everything that can be refused is refused before anything is created, and whoever gives
// up removes everything that was created, whatever went wrong. It is configured by plain options, prints
// nothing, and does not judge what was measured.
package session

import "github.com/loadline/loadline/internal/env"

// system is the clock for polling storage systems and workers that were started elsewhere: they run in real
// time, whatever a run's own clock shows.
var system env.Clock
