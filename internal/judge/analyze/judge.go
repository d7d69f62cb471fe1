package analyze

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// Judge decides during a run whether a workload has been measured precisely enough. It keeps no state
// between calls.
type Judge struct{}

// Judge returns how precisely the headline of a workload is known, from the samples of its good steps
// so far, long repeats included, and from what the plan's other workloads show of the variation between repeats; for a mixed
// workload, the less certain direction. Confidence is 0, and Value may be 0, if there are too few data.
func (Judge) Judge(p *model.Plan, w model.Workload, samples map[string][]model.Sample) model.Judgement {
	plan := *p
	if _, known := p.Workload(w.Name); !known {
		plan.Workloads = []model.Workload{w}
	}
	counted, rest := splitLooks(samples, plan.Schedule)
	all := peersOf(&plan, counted, rest, nil)
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
	j.Precise = precise(e, rule, s)
	if s.Mode == model.Rounds && len(f.repeats) >= steadyRepeats && !f.lookedAtEnough(w.Metric, s) {
		j.Observed, j.ObserveFor = all.span(), lookFor(s)
	}
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

// precise reports whether there is an interval and its half-width is within the requested precision.
func precise(e model.Estimate, half float64, s model.Schedule) bool {
	return e.Confidence != 0 && half <= s.Precision
}

// converged reports whether the estimate is as precise as requested, by the rule of the mode: enough
// repeats in rounds, or the sequential rule for one long repeat.
func converged(e model.Estimate, half float64, f *flow, m model.Metric, s model.Schedule) bool {
	if !precise(e, half, s) {
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
	// steadyRepeats are enough if the storage is clearly steady for steadySpan seconds: consecutive
	// repeats show the same moment of it.
	steadyRepeats = 2
	steadySpan    = 15.0
)

// plainlySteady reports whether fewer repeats than the certain ones are enough.
func (f *flow) plainlySteady(m model.Metric) bool {
	repeats, at := f.repeatModel(m)
	return !f.peers.asked && len(f.repeats) >= steadyRepeats && f.peers.span() >= steadySpan && repeats.SteadyAt(at)
}

const (
	// spellSeconds is the assumed mean length of a slow period of the storage, in seconds: most last 20 to 30.
	spellSeconds = 25.0
	// spellDepth is the largest slowdown assumed for a slow period, as a share.
	spellDepth = 0.5
	// enoughOfTime is the share of a run's time after which the measurement always suffices.
	enoughOfTime = 0.75
)

// lookedAtEnough reports whether slow periods that were missed would change little. Clearly steady
// storage has none.
func (f *flow) lookedAtEnough(m model.Metric, s model.Schedule) bool {
	repeats, at := f.repeatModel(m)
	return repeats.SteadyAt(at) || f.peers.span() >= lookFor(s)
}

// lookFor is how long, in seconds, storage that is not clearly steady is measured. A slow period that halves
// the speed for a share p of the time costs p/2, so with p = 2 × the precision it just matters; the
// time between two such periods is spellSeconds·(1−p)/p.
func lookFor(s model.Schedule) float64 {
	p := math.Min(1, s.Precision/spellDepth)
	return math.Min(spellSeconds*(1-p)/p, enoughOfTime*s.MaxTime)
}
