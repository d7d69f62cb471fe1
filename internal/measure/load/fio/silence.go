package fio

import (
	"time"

	"github.com/loadline/loadline/internal/model"
)

const (
	// due is the interval after which fio has to print its next status document.
	due = time.Second
	// lookEvery is how often fio's processes are checked while it is silent.
	lookEvery = 250 * time.Millisecond
	// shortestSilence is the shortest silence that is reported: fio's status waits for each job to
	// reach a point between two I/Os, so it is late by as long as the slowest I/O.
	shortestSilence = 2 * time.Second
)

// silence is a period in which fio printed nothing, and what its processes were seen doing
// meanwhile. fio waits for its jobs before it prints, and they wait for the storage, so a silence
// is normally caused by the storage. Other causes are detected by observation.
type silence struct {
	length time.Duration
	// looks counts the checks; in running of them some processes used or waited for a CPU, in
	// stopped of them some were suspended (SIGSTOP, a debugger).
	looks, running, stopped int
	// away is the longest time for which this process itself did not run.
	away time.Duration
}

// look adds one check of the processes; after is the time since the previous check.
func (s *silence) look(states []byte, after time.Duration) {
	s.looks++
	s.away = max(s.away, after-lookEvery)
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

// mostly reports whether something was seen in at least half of the checks.
func (s *silence) mostly(seen int) bool { return s.looks > 0 && 2*seen >= s.looks }

// cause returns what caused the silence.
func (s *silence) cause() model.StallCause {
	switch {
	case s.mostly(s.stopped):
		return model.StallSuspended
	case s.length > 0 && 2*s.away >= s.length:
		return model.StallMachine
	}
	return model.StallStorage
}
