package fio

import (
	"time"

	"github.com/loadline/loadline/internal/model"
)

const (
	// due is when fio has to print its next status document after the last one.
	due = time.Second
	// lookEvery is how often fio's processes are looked at while it is silent.
	lookEvery = 250 * time.Millisecond
	// shortestSilence is what is told of: fio's status waits for each job to come to a
	// point between two I/Os, so it is late by as long as the slowest I/O.
	shortestSilence = 2 * time.Second
)

// silence is a stretch of time in which fio printed nothing, and what its processes were
// seen to do meanwhile. fio waits for its jobs before it prints, and they wait for the
// storage, so a silence is first of all the storage's. What else it can be is seen.
type silence struct {
	length time.Duration
	// looks counts how often they were looked at; in running of these some of them used
	// a processor or waited for one, in stopped some were suspended (SIGSTOP, a debugger).
	looks, running, stopped int
	// away is the longest time for which this process itself did not run.
	away time.Duration
}

// look adds one look at the processes, which came so long after the last one.
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

// mostly reports whether something was seen in half of the looks.
func (s *silence) mostly(seen int) bool { return s.looks > 0 && 2*seen >= s.looks }

// cause is who stood still.
func (s *silence) cause() model.StallCause {
	switch {
	case s.mostly(s.stopped):
		return model.StallSuspended
	case s.length > 0 && 2*s.away >= s.length:
		return model.StallMachine
	}
	return model.StallStorage
}
