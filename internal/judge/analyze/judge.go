package analyze

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/judge/timeline"
	"github.com/loadline/loadline/internal/model"
)

// Judge decides while a run is on whether a workload has been measured well
// enough. It keeps nothing between calls.
type Judge struct{}

// Judge says how well the headline of a workload is known from the samples of its
// good steps so far, and what the plan's other workloads tell of the spread between
// repeats; of a mixed workload, the direction that is known worse. Confidence is 0,
// and Value may be 0, while there is too little to say.
func (Judge) Judge(p *model.Plan, w model.Workload, samples map[string][]model.Sample) model.Judgement {
	plan := *p
	if _, known := p.Workload(w.Name); !known {
		plan.Workloads = []model.Workload{w}
	}
	all := peersOf(&plan, samples, nil)
	var worst model.Judgement
	for i, d := range w.Directions() {
		j := judge(w, d, plan.Schedule, all)
		if i == 0 || worse(j, worst) {
			worst = j
		}
	}
	return worst
}

func judge(w model.Workload, d model.Direction, s model.Schedule, all *peers) model.Judgement {
	j := model.Judgement{
		Workload: w.Name, Direction: d, Metric: w.Metric,
		Estimate: model.Estimate{Unit: w.Metric.Unit()},
	}
	f := all.find(w.Name, d)
	if f == nil {
		return j
	}
	j.Repeats = len(f.repeats)
	e, rule := f.estimate(w.Metric)
	j.Estimate = e
	j.Converged = converged(e, rule, f, w.Metric, s)
	j.Steady = j.Converged && s.Mode == model.Rounds && f.plainlySteady(w.Metric)
	return j
}

func worse(a, b model.Judgement) bool {
	switch {
	case (a.Confidence == 0) != (b.Confidence == 0):
		return a.Confidence == 0
	case a.Converged != b.Converged:
		return !a.Converged
	}
	return a.HalfWidth() > b.HalfWidth()
}

// converged reports whether the estimate is as precise as was asked, by the rule
// of the mode: enough repeats in rounds, the sequential rule on a long one.
func converged(e model.Estimate, half float64, f *flow, m model.Metric, s model.Schedule) bool {
	if e.Confidence == 0 || !(half <= s.Precision) {
		return false
	}
	switch {
	case s.Mode == model.Rounds:
		return (len(f.repeats) >= s.MinRounds || f.plainlySteady(m)) && f.lookedAtEnough(m, s)
	case s.Mode == model.Steady && len(f.repeats) == 1:
		return stats.Stop(timeline.Series(f.whole, m), s.Precision)
	}
	return true
}

const (
	// steadyRepeats are enough where the storage is plainly steady for steadySpan seconds:
	// repeats back to back see the same moment of it.
	steadyRepeats = 2
	steadySpan    = 15.0
)

// plainlySteady reports whether fewer repeats than are certain are enough.
func (f *flow) plainlySteady(m model.Metric) bool {
	repeats, at := f.repeatModel(m)
	return !f.peers.asked && len(f.repeats) >= steadyRepeats && f.peers.span() >= steadySpan && repeats.SteadyAt(at)
}

const (
	// spellSeconds is how long a slow spell of storage is taken to last, in seconds.
	spellSeconds = 23.0
	// spellDepth is how much slower it is taken to be at most.
	spellDepth = 0.5
	// enoughOfTime is the share of the time that a run has which is always enough.
	enoughOfTime = 0.75
)

// lookedAtEnough reports whether slow spells that were not met would change little. Where
// the storage is plainly steady there are none.
func (f *flow) lookedAtEnough(m model.Metric, s model.Schedule) bool {
	repeats, at := f.repeatModel(m)
	return repeats.SteadyAt(at) || f.peers.span() >= lookFor(s)
}

// lookFor is how long, in seconds, storage that is not plainly steady is looked at. A
// spell that halves the speed for a share p of the time costs p/2, so with p = 2 ×
// the precision it just matters; between two of them lie spellSeconds·(1−p)/p.
func lookFor(s model.Schedule) float64 {
	p := math.Min(1, s.Precision/spellDepth)
	return math.Min(spellSeconds*(1-p)/p, enoughOfTime*s.MaxTime)
}
