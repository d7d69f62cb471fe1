// Package session brings workers, volumes and runs together: it puts a worker where each
// target is, on this machine, on hosts over ssh or in pods; has it look around; plans; and
// carries the plan out. At the end it takes down what it has made.
//
// Its opinion: everything that can be refused is refused before anything is made, and
// everything that was made is taken down by whoever gave up, whatever went wrong. It is
// asked by plain options, prints nothing, and does not judge what was measured.
package session

import "github.com/loadline/loadline/internal/env"

// system is the time in which storage systems and workers that somebody else has started
// are asked again: theirs, whatever a run's own clock says.
var system env.Clock
