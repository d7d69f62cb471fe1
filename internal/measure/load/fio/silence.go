package fio

import (
	"time"

	"github.com/loadline/loadline/internal/model"
)

const (
	// statusInterval is the interval after which fio has to print its next status document.
	statusInterval = time.Second
	// checkInterval is how often fio's processes are checked while it is silent.
	checkInterval = 250 * time.Millisecond
	// minSilence is the shortest silence that is reported: fio's status waits for each job to
	// reach a point between two I/Os, so it is late by as long as the slowest I/O.
	minSilence = 2 * time.Second
)

// silence is a period in which fio printed nothing, and what its processes were seen doing
// meanwhile. fio waits for its jobs before it prints, and they wait for the storage, so a silence
// is normally caused by the storage. Other causes are detected by observation.
type silence struct {
	length time.Duration
	// checks counts the checks; in running of them some processes used or waited for a CPU, in
	// stopped of them some were suspended (SIGSTOP, a debugger).
	checks, running, stopped int
	// notScheduled is the longest time for which this process itself did not run.
	notScheduled time.Duration
}

// check adds one check of the processes; after is the time since the previous check.
func (s *silence) check(states []byte, after time.Duration) {
	s.checks++
	s.notScheduled = max(s.notScheduled, after-checkInterval)
	for _, state := range []struct {
		count   *int
		letters string
	}{{&s.running, "R"}, {&s.stopped, "Tt"}} {
		if containsAny(states, state.letters) {
			*state.count++
		}
	}
}

func containsAny(states []byte, letters string) bool {
	for _, s := range states {
		for _, l := range []byte(letters) {
			if s == l {
				return true
			}
		}
	}
	return false
}

// isMajority reports whether something was seen in at least half of the checks.
func (s *silence) isMajority(seen int) bool { return s.checks > 0 && 2*seen >= s.checks }

// cause returns what caused the silence.
func (s *silence) cause() model.StallCause {
	switch {
	case s.isMajority(s.stopped):
		return model.StallSuspended
	case s.length > 0 && 2*s.notScheduled >= s.length:
		return model.StallMachine
	}
	return model.StallStorage
}
