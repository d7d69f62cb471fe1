package engine

import (
	"context"

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

// turnover is how long the queue of a workload takes to turn over (timeline.Turnover), in seconds, on each side; 0 if unknown. Both
// sides of a comparison have the ramp that the slower one needs: a longer ramp uses up more of a credit.
type turnover map[model.Side]float64

// turnsOver notes how long the queue of a repeat takes to turn over, and reports whether the repeat is to be made again with a ramp
// that is as long. The first repeat decides, so that no repeat is made again because of what it measured; later ones only
// correct the length of the ramps that follow.
func (e *execution) turnsOver(ctx context.Context, s *side, d ended) (again bool) {
	if s.plan.Schedule.Mode != model.Rounds || timeline.Slots(d.workload) == 0 || d.failed != "" || ctx.Err() != nil {
		return false
	}
	for _, r := range d.results {
		if r.EndedEarly || len(r.Stalls) > 0 {
			return false
		}
	}
	rec := model.Recorded{Plan: s.plan, Samples: d.samples}
	rec.Run.Steps = d.results
	name := d.workload.Name
	for _, t := range timeline.Turnovers(&rec, d.workload) {
		_, known := e.turnover[name][s.name]
		if e.turnover[name] == nil {
			e.turnover[name] = turnover{}
		}
		e.turnover[name][s.name] = t.Seconds
		again = t.Short() && !known && turnoverMargin*t.Seconds <= turnoverMost
	}
	return again
}

// filled returns a step with a ramp that lasts until the queue has turned over, as far as its rate is known.
func (e *execution) filled(step model.Step) model.Step {
	for _, seconds := range e.turnover[step.Workload] {
		if ramp := turnoverMargin * seconds; ramp > step.Ramp && ramp <= turnoverMost {
			step.Ramp = ramp
		}
	}
	return step
}

// cost returns the total time of a step, in seconds. At its end, the I/Os in flight are waited for, but of storage that stood still no
// more than the longest ramp counts.
func (e *execution) cost(s *side, step model.Step) float64 {
	step = e.filled(step)
	return step.Ramp + step.Seconds + s.plan.Schedule.Overhead + min(turnoverMost, e.turnover[step.Workload][s.name])
}

// fits reports whether there is time for another repeat of a workload on each of the sides.
func (e *execution) fits(w model.Workload, most float64, sides ...*side) bool {
	sum := e.spent
	for _, s := range sides {
		sum += e.cost(s, model.Step{Workload: w.Name, Ramp: s.plan.Schedule.Ramp, Seconds: s.plan.Schedule.Repeat})
	}
	return sum <= most
}
