package analyze

import (
	"cmp"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

const (
	// lowerByNoise replaces lower for the seconds of a prefill that vary so much that they may have one level.
	lowerByNoise = 2 * lower
	// asMany is the share of the highest I/O rate from which on a workload counts as equally fast; of
	// those, the one that moves the most bytes gets the long repeat.
	asMany = 0.9
	// maxLooks is the maximum number of long repeats of one workload whose rate falls too late, or that decide
	// nothing.
	maxLooks = 3
)

// Looks chooses the workloads for long repeats, once most repeats of a run are made: in each direction
// the workload that does the most I/Os per second, reads first so that they are not slowed by leftover
// writes; and, if time allows, the one that moves the most bytes, unless its bandwidth is about the
// same or the prefill (reading it back, for reads) has covered it. A short one is enough for writes if
// the schedule says so and the prefill has shown the rate of uninterrupted writes.
func (Judge) Looks(rec *model.Recorded) (needed, short, wished []string) {
	all := observations(rec)
	for _, d := range []model.Direction{model.Read, model.Write} {
		var most, large *observation
		var rate float64
		for i := range all {
			if g := &all[i]; g.lookable(d) {
				rate = max(rate, g.rate())
				if large == nil || g.bandwidth > large.bandwidth {
					large = g
				}
			}
		}
		for i := range all {
			g := &all[i]
			if g.lookable(d) && g.rate() >= asMany*rate && (most == nil || g.bandwidth > most.bandwidth) {
				most = g
			}
		}
		if most == nil {
			continue
		}
		if !slices.Contains(needed, most.workload.Name) {
			needed = append(needed, most.workload.Name)
		}
		seen := most.bandwidth
		if moved, ok := prepared(rec, d); ok {
			seen = max(seen, moved)
			if d == model.Write && rec.Plan.Schedule.ShortWriteLook && !most.workload.Reads() {
				short = append(short, most.workload.Name)
			}
		}
		if seen < fewBytes*large.bandwidth {
			wished = append(wished, large.workload.Name)
		}
	}
	return needed, short, slices.DeleteFunc(wished, func(name string) bool { return slices.Contains(needed, name) })
}

// lookable reports whether a workload shows what the storage can do in a direction: an open loop only
// offers a given rate.
func (g *observation) lookable(d model.Direction) bool {
	return g.direction == d && !g.workload.OpenLoop && len(g.repeats) > 0
}

// prepared is the bandwidth that the prefill, or reading it back, sustained, if that lasted as long as a
// long repeat and did not become slower, apart from what the variation of its seconds explains.
func prepared(rec *model.Recorded, d model.Direction) (bandwidth float64, ok bool) {
	p := rec.Run.Prepare
	if p == nil {
		return 0, false
	}
	rates := p.Rates
	if d == model.Read {
		rates = p.Proof.Rates
	}
	if len(rates) < int(rec.Plan.Schedule.Look) {
		return 0, false
	}
	s := stats.Level(rates)
	most := lower
	if !s.Lower {
		most = lowerByNoise
	}
	return s.Mean, !s.Fell && (s.From == 0 || s.Mean >= (1-most)*s.Before)
}

// Next chooses the long repeat that follows another one immediately, while the credit is still empty:
// the same workload if its rate fell late or nothing is decided, or another one of that direction that draws on the same
// credit. It is "" if no more are needed. seconds is the least length that decides, 0 if any does.
func (Judge) Next(rec *model.Recorded) (workload string, seconds float64) {
	steps := rec.Run.Steps
	if len(steps) == 0 {
		return "", 0
	}
	last := steps[len(steps)-1].Step.Workload
	all := observations(rec)
	seen := lookResults(all, int(rec.Plan.Schedule.Repeat))
	for _, s := range seen {
		late := s.fell && s.Fell && len(s.rates)-s.From < firmSeconds
		if s.workload.Name == last && (late || s.unsure) && !s.coupled && len(s.looks) < maxLooks {
			return last, s.wanted()
		}
	}
	w, _ := rec.Plan.Workload(last)
	if next := followers(all, seen, w); next != "" {
		return next, 0
	}
	for _, s := range seen {
		// While the credit of the other direction is empty, another long repeat shows whether it is this one's too.
		if s.untested != nil && len(s.looks) < maxLooks {
			return s.workload.Name, 0
		}
	}
	return "", 0
}

// followers returns the workload that draws on the credit which a long repeat of w has used up, and that does the most I/Os of
// those without a long repeat; "" if there is none.
func followers(all []observation, seen []lookResult, w model.Workload) string {
	for _, d := range w.Directions() {
		l := limitOf(seen, d)
		if l == nil {
			continue
		}
		var next []*observation
		for i := range all {
			if g := &all[i]; g.lookable(d) && len(g.looks) == 0 && l.above(g) {
				next = append(next, g)
			}
		}
		if len(next) > 0 {
			return slices.MaxFunc(next, func(a, b *observation) int { return cmp.Compare(a.rate(), b.rate()) }).workload.Name
		}
	}
	return ""
}

// Counted returns the samples that a workload's result is made of: if the rate fell during a long
// repeat, those of its final plateau.
func (Judge) Counted(rec *model.Recorded, workload string) []model.Sample {
	return counted(rec, sustain(rec))[workload]
}

// Fallen lists the workloads whose result is the rate that a long repeat fell to: more short repeats
// would add nothing to it.
func (Judge) Fallen(rec *model.Recorded) []string {
	var names []string
	for k, s := range sustain(rec) {
		if s.Fallen() {
			names = append(names, k.workload)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
