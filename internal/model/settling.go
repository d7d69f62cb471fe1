package model

// Settling is the time between writes and a repeat that reads.
type Settling struct {
	// Writes is the number of I/Os written since reads last ran at their full rate.
	Writes uint64 `json:"writes"`
	// Waited is how long, in seconds, the storage was left idle apart from short read checks.
	Waited float64 `json:"waited,omitempty"`
	// Slow and Rate are the reads per second of the first and the last read check; 0 if there was none.
	Slow float64 `json:"slow,omitempty"`
	Rate float64 `json:"rate,omitempty"`
	// Settled is set if the last check found reads at their full rate, or the storage has had enough time for
	// all that was written.
	Settled bool `json:"settled,omitempty"`
	// Left is how long, in seconds, the storage may still have been writing when the repeat began: set
	// only if the wait had to end before that time was over or reads were at their full rate.
	Left float64 `json:"left,omitempty"`
}

const (
	// SettlingGap is how much slower reads must be, relative to their full rate, to count as slow: a
	// draining cache takes about half the disk, and noise less than this.
	SettlingGap = 0.2
	// settlingRise is how much faster reads become, as a share of their rate after the wait, if a wait that need not have been
	// long enough shows by itself that a cache was draining: it leaves reads about half of the disk, and noise or a slow period
	// does not double them.
	settlingRise = 0.4
	// settlingLike is the fraction of the writes preceding a successful wait that counts as a similar
	// amount.
	settlingLike = 0.5
)

// Helped reports whether a wait made reads faster.
func (s *Settling) Helped() bool {
	return s != nil && s.Settled && s.Waited > 0 && s.Slow <= (1-SettlingGap)*s.Rate
}

// Rose reports whether reads became so much faster during a wait, however it ended, that the storage must have been
// writing.
func (s *Settling) Rose() bool {
	return s != nil && s.Waited > 0 && s.Slow > 0 && s.Slow <= (1-settlingRise)*s.Rate
}

// Early reports whether a repeat may have begun before the storage had finished with earlier writes.
func (s *Settling) Early() bool { return s != nil && s.Writes > 0 && !s.Settled }

// Cut reports whether the wait before a repeat ended too early.
func (s *Settling) Cut() bool { return s.Early() && s.Left > 0 }

// SettlingNeeded reports whether writes were the cause of slow reads. There must be more waits that
// made reads faster than checks that found reads fast immediately after as many writes: storage that is
// slow now and then is so regardless of writes.
func SettlingNeeded(steps []StepResult) bool {
	most := uint64(0)
	for _, r := range steps {
		if r.Settling.Helped() {
			most = max(most, r.Settling.Writes)
		}
	}
	needed := 0
	for _, r := range steps {
		switch s := r.Settling; {
		case r.Worker > 0:
		case s.Helped():
			needed++
		case s != nil && s.Settled && s.Waited == 0 && s.Rate > 0 && float64(s.Writes) >= settlingLike*float64(most):
			needed--
		}
	}
	return needed > 0
}
