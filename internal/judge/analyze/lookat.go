package analyze

import (
	"cmp"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

const (
	// asMany is the share of the most I/Os per second from which on a workload does about
	// as many; of those, the one that moves the most bytes is looked at.
	asMany = 0.9
	// mostLooks is how often one workload is looked at when its end comes too late.
	mostLooks = 3
)

// Looks chooses what to look at, once most repeats of a run are made: in each direction the
// workload that does the most I/Os per second, reads first, so that what writes leave behind
// does not slow them; and, where time allows, the one that moves the most bytes, unless that
// is about the same or the prefill has shown it.
func (Judge) Looks(rec *model.Recorded) (needed, wished []string) {
	all := glances(rec)
	for _, d := range []model.Direction{model.Read, model.Write} {
		var most, large *glance
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
		if filled, ok := prefilled(rec); ok && d == model.Write {
			seen = max(seen, filled)
		}
		if seen < fewBytes*large.bandwidth {
			wished = append(wished, large.workload.Name)
		}
	}
	return needed, slices.DeleteFunc(wished, func(name string) bool { return slices.Contains(needed, name) })
}

// lookable reports whether a workload shows in a direction what the storage does: an open loop
// only offers what it is told to offer.
func (g *glance) lookable(d model.Direction) bool {
	return g.direction == d && !g.workload.OpenLoop && len(g.repeats) > 0
}

// prefilled is the bandwidth that the prefill held, when it lasted long enough to be a look.
func prefilled(rec *model.Recorded) (bandwidth float64, ok bool) {
	p := rec.Run.Prepare
	if p == nil || len(p.Rates) < int(rec.Plan.Schedule.Look) {
		return 0, false
	}
	s := stats.Level(p.Rates)
	return s.Mean, !s.Fell
}

// Next is what to look at at once after a look, while what that has used up is still empty:
// the same workload, when its rate fell late, or another one of that direction which draws on
// it. It is "" when there is nothing more.
func (Judge) Next(rec *model.Recorded) string {
	steps := rec.Run.Steps
	if len(steps) == 0 {
		return ""
	}
	last := steps[len(steps)-1].Step.Workload
	all := glances(rec)
	seen := insights(all, int(rec.Plan.Schedule.Repeat))
	for _, s := range seen {
		late := s.fell && len(s.rates)-s.From < levelSeconds+2
		if s.workload.Name == last && (late || s.unsure) && len(s.looks) < mostLooks {
			return last
		}
	}
	w, _ := rec.Plan.Workload(last)
	for _, d := range w.Directions() {
		l := limitOf(seen, d)
		if l == nil {
			continue
		}
		var next []*glance
		for i := range all {
			if g := &all[i]; g.lookable(d) && len(g.looks) == 0 && l.above(g) {
				next = append(next, g)
			}
		}
		if len(next) > 0 {
			return slices.MaxFunc(next, func(a, b *glance) int { return cmp.Compare(a.rate(), b.rate()) }).workload.Name
		}
	}
	return ""
}

// Counted are the samples of a workload that its result is made of: of what fell in a look,
// those of the level end.
func (Judge) Counted(rec *model.Recorded, workload string) []model.Sample {
	return counted(rec, sustain(rec))[workload]
}

// Fallen lists the workloads whose result is what their look fell to: more short repeats
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
