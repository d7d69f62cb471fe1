package analyze

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/stats"
)

// Judge decides while a run is on whether a workload has been measured well
// enough. It keeps nothing between calls.
type Judge struct{}

// Judge says how well the headline of a workload is known from the samples
// of its good steps so far; of a mixed workload, the direction that is known
// worse. Confidence is 0, and Value may be 0, while there is too little to say.
func (Judge) Judge(w model.Workload, s model.Schedule, samples []model.Sample) model.Judgement {
	var worst model.Judgement
	for i, d := range w.Directions() {
		j := judge(w, d, s, samples)
		if i == 0 || worse(j, worst) {
			worst = j
		}
	}
	return worst
}

func judge(w model.Workload, d model.Direction, s model.Schedule, samples []model.Sample) model.Judgement {
	visits := gather(samples, d)
	j := model.Judgement{
		Workload: w.Name, Direction: d, Metric: w.Metric, Visits: len(visits),
		Estimate: model.Estimate{Unit: w.Metric.Unit()},
	}
	f := newFlow(visits, w.Metric, s.Mode)
	if f == nil {
		return j
	}
	e, rule := f.estimate(w.Metric)
	j.Estimate = e
	j.Converged = converged(e, rule, f, visits, w.Metric, s)
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

// converged tells whether the estimate is as precise as was asked, by the rule
// of the mode: enough visits in rounds, the sequential rule on a long one.
func converged(e model.Estimate, half float64, f *flow, visits []visit, m model.Metric, s model.Schedule) bool {
	if e.Confidence == 0 || !(half <= s.Precision) {
		return false
	}
	switch {
	case s.Mode == model.Rounds:
		return len(f.visits) >= s.MinRounds
	case s.Mode == model.Steady && len(visits) == 1:
		return stats.Stop(series(visits[0].seconds, m), s.Precision)
	}
	return true
}
