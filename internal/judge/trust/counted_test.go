package trust

import "testing"

// counts is a series of whole I/Os in seconds, in repeats of that many seconds.
func counts(length int, rates ...float64) *series {
	s := &series{repeats: 1}
	for i, v := range rates {
		if i > 0 && i%length == 0 {
			s.repeats++
		}
		s.rate, s.repeat = append(s.rate, v), append(s.repeat, s.repeats-1)
		s.begin, s.end = append(s.begin, float64(i)), append(s.end, float64(i+1))
	}
	return s
}

// times is the same series at that multiple of its rate.
func (s *series) times(k float64) *series {
	more := *s
	more.rate = nil
	for _, v := range s.rate {
		more.rate = append(more.rate, k*v)
	}
	return &more
}

// Storage of a constant rate that is not a whole number of I/Os a second does less in one second than in another.
func TestCountsAreNoLevels(t *testing.T) {
	alternating := make([]float64, 60)
	for i := range alternating {
		alternating[i] = 4 + float64(i*i/7%2)
	}
	for name, c := range map[string]struct {
		of   *series
		much kind
	}{
		"a step down between repeats": {counts(2, 6, 6, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5), bursting},
		"two levels":                  {counts(60, alternating...), bimodal},
		"a slow start":                {counts(2, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5), warming},
	} {
		if r := c.of.regime(); r.kind > steady {
			t.Errorf("%s is of kind %d: %+v", name, r.kind, r)
		}
		if r := c.of.times(100).regime(); r.kind != c.much {
			t.Errorf("%s at 500 I/Os a second is of kind %d: %+v", name, r.kind, r)
		}
	}
}
