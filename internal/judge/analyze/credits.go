package analyze

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// sameBurst is the factor within which two directions have the same burst rate.
const sameBurst = 1.1

// exhausted is the first long repeat that used up a credit, by direction.
func exhausted(all []lookResult) map[model.Direction]int {
	first := map[model.Direction]int{}
	for _, s := range all {
		if at := first[s.direction]; s.fell && (at == 0 || s.last.Step < at) {
			first[s.direction] = s.last.Step
		}
	}
	return first
}

// followExhausted judges long repeats by whether a credit of their direction was known to be empty.
func followExhausted(all []lookResult) {
	first := exhausted(all)
	for i := range all {
		s := &all[i]
		at := first[s.direction]
		slower := s.unsure || s.Mean < s.rate()/reaches
		switch {
		case s.fell || at == 0 || len(s.repeats) == 0:
		case s.drops():
			// The last second may be a stall.
			s.unsure = true
		case slower && s.last.Step < at:
			// There was a credit, but it was not known to be empty then.
			s.unsure = true
		case slower:
			// A workload measured while a credit is known to be empty cannot fall any further.
			s.fell, s.unsure = true, false
		}
	}
}

// judgeLater judges those long repeats anew that were made both before and after a workload of the other direction used up a
// credit: what was done after it alone shows whether both directions draw on one. It reports whether any do.
func judgeLater(all []lookResult, judged func(*observation) lookResult) (found bool) {
	first := exhausted(all)
	for i := range all {
		s := &all[i]
		for d, at := range first {
			later := slices.IndexFunc(s.looks, func(look timeline.Repeat) bool { return look.Step > at })
			if d == s.direction || s.fell || s.workload.Direction == model.Mixed || at == 0 || later <= 0 {
				continue
			}
			g := *s.observation
			g.looks = s.looks[later:]
			if again := judged(&g); again.unsure && !again.drops() {
				again.fell, again.unsure = true, false
				again.observation = s.observation
				all[i], found = again, true
			}
		}
	}
	return found
}

// asFastAs reports whether a long repeat is about as fast as a burst of the other direction: one limit for both would let them
// reach the same rate, in I/Os or in bytes.
func (s *lookResult) asFastAs(b *model.Burst) bool {
	near := func(a, b float64) bool { return a < sameBurst*b && b < sameBurst*a }
	return near(s.Mean, b.Rate) || near(s.bandwidth, b.Bandwidth)
}

// doubtEarlier marks long repeats at a rate that was held before a workload of the other direction used up a credit.
func doubtEarlier(all []lookResult) {
	for i := range all {
		s := &all[i]
		if s.fell || s.unsure || s.coupled || s.workload.OpenLoop {
			continue
		}
		for _, other := range []model.Direction{model.Read, model.Write} {
			l := limitOf(all, other)
			if other == s.direction || l == nil || s.last.Step >= l.last.Step || !l.above(s.observation) || !s.asFastAs(l.burst()) {
				continue
			}
			s.unsure, s.untested = true, l
		}
	}
}
