package analyze

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// sameBurst is the factor within which two workloads have the same burst rate.
const sameBurst = 1.1

// near reports whether two rates may be the same burst.
func near(a, b float64) bool { return a < sameBurst*b && b < sameBurst*a }

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
		case slower && (s.last.Step < at || !follows(all, s, s.direction) && s.exceeds(limitOf(all, s.direction), all)):
			// There was a credit, but it was not known to be empty then, or was filled again.
			s.unsure = true
		case slower:
			// A workload measured while a credit is known to be empty cannot fall any further.
			s.fell, s.unsure = true, false
		}
	}
}

// pauseLeast is the least time between two long repeats, in seconds, that is a pause: ramps take up to 10 s on slow storage, and
// another long repeat between two takes as long as well.
const pauseLeast = 11

// follows reports whether the last long repeat of a workload came directly after one, or several, of which the first had used up
// a credit of a direction, so that there was no pause to refill it.
func follows(all []lookResult, s *lookResult, d model.Direction) bool {
	type stretch struct {
		begin, end float64
		empty      bool
	}
	stretches := map[int]stretch{}
	for i := range all {
		if o := &all[i]; o.direction == d {
			for _, look := range o.looks {
				stretches[look.Step] = stretch{look.Seconds[0].Begin, look.Seconds[len(look.Seconds)-1].End, o.fell && look.Step >= o.last.Step}
			}
		}
	}
	begin := s.last.Seconds[0].Begin
	for step := s.last.Step - 1; ; step-- {
		before, long := stretches[step]
		switch {
		case !long || begin-before.end >= pauseLeast:
			return false
		case before.empty:
			return true
		}
		begin = before.begin
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

// whole returns the rate and the bandwidth that a long repeat ended with, in both directions of a mix together.
func (s *lookResult) whole(all []lookResult) (rate, bandwidth float64) {
	for i := range all {
		if o := &all[i]; o.workload.Name == s.workload.Name {
			rate, bandwidth = rate+o.Mean, bandwidth+o.bandwidth
		}
	}
	return rate, bandwidth
}

// mixDoubts returns a limit of either direction that a mix exceeds in both directions together; nil if there is none, or it is
// no mix.
func mixDoubts(g *observation, list []observation, all []lookResult) *limit {
	if g.workload.Direction != model.Mixed || g.workload.OpenLoop {
		return nil
	}
	rate, bandwidth := 0.0, 0.0
	for i := range list {
		if o := &list[i]; o.workload.Name == g.workload.Name && len(o.repeats) > 0 {
			rate, bandwidth = rate+o.rate(), bandwidth+o.bandwidth
		}
	}
	for _, d := range g.workload.Directions() {
		if l := limitOf(all, d); l != nil && l.exceededBy(rate, bandwidth, g) {
			return l
		}
	}
	return nil
}

// exceededBy reports whether a rate and a bandwidth may last no longer than the burst before a limit: they exceed what any credit
// left in I/Os and in bytes, or in one of them, in which they are about as fast as that burst. One limit for both workloads would
// let them reach the same rate in what it counts.
func (l *limit) exceededBy(rate, bandwidth float64, g *observation) bool {
	share := l.volumesOver(g)
	ios, bytes := rate > reaches*l.whole/share, bandwidth > reaches*l.wholeBandwidth/share
	return ios && (bytes || l.countsIOs) || slices.ContainsFunc(l.bursts, func(b model.Burst) bool {
		return ios && near(rate, b.Rate) || bytes && !l.countsIOs && near(bandwidth, b.Bandwidth)
	})
}

// exceeds reports the same of a long repeat.
func (s *lookResult) exceeds(l *limit, all []lookResult) bool {
	rate, bandwidth := s.whole(all)
	return l.exceededBy(rate, bandwidth, s.observation)
}

// asFastAs reports whether a long repeat is about as fast as the burst before a limit, in I/Os or in bytes.
func (s *lookResult) asFastAs(l *limit, all []lookResult) bool {
	rate, bandwidth := s.whole(all)
	return slices.ContainsFunc(l.bursts, func(b model.Burst) bool { return near(rate, b.Rate) || near(bandwidth, b.Bandwidth) })
}

// doubtEarlier marks long repeats at a rate that was held when no credit was known to be empty, as fast as one that a workload
// of the other direction, or another one of the same, used up: before that, or after a pause.
func doubtEarlier(all []lookResult) {
	for i := range all {
		s := &all[i]
		if s.fell || s.unsure || s.coupled || s.workload.OpenLoop {
			continue
		}
		for _, d := range []model.Direction{model.Read, model.Write} {
			l := limitOf(all, d)
			if l == nil || l.workload.Name == s.workload.Name || !s.asFastAs(l, all) {
				continue
			}
			tested := s.last.Step >= l.last.Step || !l.above(s.observation)
			if d == s.direction || s.workload.Direction == model.Mixed {
				tested = !s.exceeds(l, all) || follows(all, s, d)
			}
			if !tested {
				s.unsure, s.untested = true, l
			}
		}
	}
}
