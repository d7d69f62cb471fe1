package model

// Settling is the time between writes and a repeat that only reads.
type Settling struct {
	// Writes is the number of I/Os written since reads were last seen at their full rate.
	Writes uint64 `json:"writes"`
	// Waited is how long, in seconds, the storage was left alone but for short looks.
	Waited float64 `json:"waited,omitempty"`
	// Slow and Rate are the reads per second of the first look and of the last; 0 where
	// nobody looked.
	Slow float64 `json:"slow,omitempty"`
	Rate float64 `json:"rate,omitempty"`
	// Settled tells that the last look found reads at their full rate.
	Settled bool `json:"settled,omitempty"`
}

const (
	// SettlingGap is by how much reads must be slower, relative to their full rate, that are
	// called slow: a cache that drains takes about half the disk, and noise less than this.
	SettlingGap = 0.2
	// settlingLike is which part of the writes after which a wait helped is as much.
	settlingLike = 0.5
)

// Helped reports whether a wait has made reads faster.
func (s *Settling) Helped() bool {
	return s != nil && s.Settled && s.Waited > 0 && s.Slow <= (1-SettlingGap)*s.Rate
}

// Early reports whether a repeat may have begun before the storage was done with what was written.
func (s *Settling) Early() bool { return s != nil && s.Writes > 0 && !s.Settled }

// SettlingNeeded reports whether writes are what made reads slow. It takes more waits that made
// reads faster than looks that found them fast at once after as many writes: a storage that
// is slow now and then is so whether or not somebody has written.
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
		case s != nil && s.Settled && s.Waited == 0 && float64(s.Writes) >= settlingLike*float64(most):
			needed--
		}
	}
	return needed > 0
}

// ReadRates are the mean reads per second of steps, of all their workers together, in the
// order of time.
func (r *Recorded) ReadRates(steps map[int]bool) []float64 {
	type sum struct {
		reads, seconds float64
		workers        map[int]bool
	}
	sums := map[int]*sum{}
	var order []int
	for i := range r.Samples {
		m := &r.Samples[i]
		if !steps[m.Step] {
			continue
		}
		s := sums[m.Step]
		if s == nil {
			s = &sum{workers: map[int]bool{}}
			sums[m.Step] = s
			order = append(order, m.Step)
		}
		s.seconds += m.Seconds
		s.workers[m.Worker] = true
		if m.Read != nil {
			s.reads += float64(m.Read.IOs)
		}
	}
	rates := make([]float64, 0, len(order))
	for _, step := range order {
		if s := sums[step]; s.seconds > 0 {
			rates = append(rates, s.reads/s.seconds*float64(len(s.workers)))
		}
	}
	return rates
}
