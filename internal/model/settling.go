package model

// Settling is the time between writes and a visit that only reads.
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

// settlingHelped is by how much reads must be slower before a wait than after it, so that
// the wait has made the difference.
const settlingHelped = 0.08

// Helped tells that a wait has made reads faster.
func (s *Settling) Helped() bool {
	return s != nil && s.Settled && s.Waited > 0 && s.Slow <= (1-settlingHelped)*s.Rate
}

// Early tells that a visit may have begun before the storage was done with what was written.
func (s *Settling) Early() bool { return s != nil && s.Writes > 0 && !s.Settled }

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
