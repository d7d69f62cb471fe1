package engine

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

const (
	// turnoverMargin is by how much longer the ramp is than the queue takes to turn over, since rates vary.
	turnoverMargin = 1.1
	// turnoverMost is the longest ramp, in seconds, that is made for this reason: storage that takes longer is not measured with
	// so deep a queue in any reasonable time, and the rule depth says so.
	turnoverMost = 10.0
)

// turnsOver notes how long the queue of a repeat takes to turn over (timeline.Turnover), in seconds, and reports whether the repeat
// is to be made again with a ramp that is as long.
func (e *execution) turnsOver(s *side, d ended) (again bool) {
	slots := timeline.Slots(d.workload)
	if s.plan.Schedule.Mode != model.Rounds || slots == 0 || d.failed != "" {
		return false
	}
	rec := model.Recorded{Plan: s.plan, Samples: d.samples}
	rec.Run.Steps = d.results
	for _, t := range timeline.Turnovers(&rec, d.workload) {
		key := turning{s.name, d.workload.Name}
		_, known := e.turnover[key]
		e.turnover[key] = max(e.turnover[key], turnoverMargin*t.Seconds)
		again = t.Short() && !known && e.turnover[key] <= turnoverMost
	}
	return again
}

// turning is a workload on one side.
type turning struct {
	side     model.Side
	workload string
}

// filled returns a step with a ramp that lasts until the queue has turned over, as far as its rate is known.
func (e *execution) filled(s *side, step model.Step) model.Step {
	if t := e.turnover[turning{s.name, step.Workload}]; t > step.Ramp && t <= turnoverMost {
		step.Ramp = t
	}
	return step
}

// cost returns the total time of a step, in seconds. At its end, the I/Os in flight are waited for.
func (e *execution) cost(s *side, step model.Step) float64 {
	step = e.filled(s, step)
	return step.Ramp + step.Seconds + s.plan.Schedule.Overhead + e.turnover[turning{s.name, step.Workload}]/turnoverMargin
}
