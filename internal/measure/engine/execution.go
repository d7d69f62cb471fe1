package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// side is one thing that is measured: a volume with its plan, its workers and its own record. A run has one
// side, a comparison two.
type side struct {
	// name is empty in a run.
	name     model.Side
	plan     model.Plan
	workers  []*Worker
	recorder Recorder
	// prepared reports how the volumes were prepared before measuring.
	prepared *model.Preparation
	// number is that of the latest step.
	number int
	beside Evidence
	// idlePending is set while measuring the idle machine is left to the first repeat.
	idlePending bool
	// offsets are how far the workers' clocks are ahead; empty for a single worker.
	offsets []time.Duration
	drain   drain
	// gone counts the guaranteed steps that were done or left out.
	gone    int
	looking looking
	// cores is the maximum share of a core that the load generator used, by workload.
	cores map[string]float64
}

// execution is what a run and a comparison have in common: a clock, the time used up, preparing a volume,
// and doing a step.
type execution struct {
	// judge ends long repeats; it is nil in a comparison, whose blocks have none.
	judge    Judge
	observer Observer
	now      func() time.Time
	// remaining estimates the measuring time that is left, in seconds, and promised the part of it that is
	// for looks.
	remaining, promised func() float64
	began               time.Time
	// clock is the end of the last step in seconds since the run began; fakes run ahead of real time, so it
	// is not the wall clock.
	clock float64
	// spent is the measuring time used up, saved that by which short looks have reduced its limit, in seconds.
	spent, saved float64
	// until is when the current step is expected to end, on the same clock.
	until float64
	// current is the measuring time that the current step is expected to take; 0 between steps.
	current float64
	// behind is the number of sides that are prepared after the current one.
	behind int
	// dead workloads had a step that failed, done ones are precise enough, and those in steadily do not
	// even need the rest of the guaranteed steps.
	dead, done, steadily map[string]bool
	// observe is after how much measuring time (s) storage that varies has been observed for long enough with a workload.
	observe map[string]float64
	// turnover is that of each workload.
	turnover map[string]turnover
}

func newExecution(j Judge, o Observer, now func() time.Time) execution {
	return execution{judge: j, observer: o, now: now, began: now(), dead: map[string]bool{}, done: map[string]bool{}, steadily: map[string]bool{},
		observe: map[string]float64{}, turnover: map[string]turnover{}}
}

// outcome returns the status, its reason, and the error that Execute returns.
func outcome(ctx context.Context, err error) (model.Status, string, error) {
	switch {
	case err == nil:
		return model.Complete, "", nil
	case ctx.Err() != nil:
		return model.Interrupted, "", ctx.Err()
	}
	return model.Failed, err.Error(), err
}

// ended is the outcome of a step.
type ended struct {
	workload model.Workload
	results  []model.StepResult
	samples  []model.Sample
	// failed describes the failure of a step, whose samples are then ignored.
	failed string
	// again is set if the repeat is to be made once more, after a wait or with a longer ramp; unfilled if for the latter, so that it
	// shows no latency.
	again, unfilled bool
}

// update reports that the step is over.
func (d ended) update() model.Update { return model.Update{Result: &d.results[0]} }

// step does one repeat at all workers of a side and records it. Judging it is left to the caller.
func (e *execution) step(ctx context.Context, s *side, step model.Step, planned int) (ended, error) {
	if err := ctx.Err(); err != nil {
		return ended{}, err
	}
	settling, err := e.settle(ctx, s, step)
	if err != nil {
		return ended{}, err
	}
	step = e.filled(step)
	// A planned step keeps its number, even if one before it was left out.
	s.number = max(s.number+1, step.Number)
	step.Number = s.number
	w, known := s.plan.Workload(step.Workload)
	if !known {
		return ended{}, fmt.Errorf("the plan has a step for %q, but no such workload", step.Workload)
	}
	if w.OpenLoop {
		step.Offered = w.RateIOPS
	}
	// The time left that is reported when the step begins includes the step itself.
	e.current = e.cost(s, step)
	e.until = max(e.clock, e.now().Sub(e.began).Seconds()) + e.current
	e.tell(s, model.Update{Step: &step, Workload: &w, Steps: planned})
	begin := e.start(s, w)
	base := max(e.clock, begin.Sub(e.began).Seconds())
	e.until = base + e.current
	defer func() { e.until, e.current = 0, 0 }()
	d := ended{workload: w}
	d.results, d.samples, err = e.repeat(ctx, s, step, w, begin, base)
	for i := range d.results {
		r := &d.results[i]
		r.Ended += base
		r.Started = base
		r.Settling = settling
		s.busy(w.Name, r.UserCPU+r.SystemCPU)
		e.clock = max(e.clock, r.Ended, base+step.Ramp)
		if r.Error != "" {
			d.failed = r.Error
		}
	}
	if d.unfilled = err == nil && e.turnsOver(ctx, s, d); d.unfilled {
		for i := range d.results {
			d.results[i].Unfilled = true
		}
		e.tell(s, model.Update{Message: fmt.Sprintf("%s: repeating with a ramp of %s, in which its queue turns over", onSide(s, w.Name), units.FormatDuration(e.filled(step).Ramp))})
	}
	// Record them even after an error: a recorder that cannot save one keeps it for the report.
	if recErr := s.recorder.Step(d.results...); recErr != nil {
		return d, errors.Join(err, recErr)
	}
	e.spent += max(e.clock-base, 0)
	if err == nil && d.failed != "" && ctx.Err() == nil {
		e.dead[w.Name] = true
		for _, x := range s.workers {
			x.keep()
		}
	}
	d.again = err == nil && s.saw(d, settling)
	d.again = d.again || d.unfilled
	s.drain.backlog.during(w, e.clock)
	return d, err
}

// onSide names a workload, and in a comparison its side.
func onSide(s *side, workload string) string {
	if s.name == "" {
		return workload
	}
	return string(s.name) + ": " + workload
}

// givenUp returns the message about a workload whose step failed.
func givenUp(d ended) string {
	return fmt.Sprintf("%s is given up after a failed repeat: %s", d.workload.Name, d.failed)
}

// steadyEvery is the number of samples between two checks of a long repeat.
const steadyEvery = 5

// steady reports whether a long repeat may end because its stopping rule is met.
func (e *execution) steady(s *side, w model.Workload, fresh []model.Sample) bool {
	if s.plan.Schedule.Mode != model.Steady || len(fresh)%steadyEvery != 0 {
		return false
	}
	return e.judge.Judge(&s.plan, w, map[string][]model.Sample{w.Name: fresh}).Converged
}

// tell passes an update to the observer, with the times filled in.
func (e *execution) tell(s *side, u model.Update) {
	u.Side = s.name
	u.Elapsed = max(e.clock, e.now().Sub(e.began).Seconds())
	// What remains does not include the current step.
	u.Left = e.remaining() + max(0, e.until-u.Elapsed)
	if s.plan.Schedule.Mode == model.Rounds {
		u.Workloads = len(s.plan.Workloads)
		for _, w := range s.plan.Workloads {
			if e.done[w.Name] {
				u.Converged++
			}
		}
	}
	e.observer.Observe(u)
}

// open returns the workloads that need more repeats.
func (e *execution) open(workloads []model.Workload) []model.Workload {
	var list []model.Workload
	for _, w := range workloads {
		if !e.dead[w.Name] && !e.done[w.Name] {
			list = append(list, w)
		}
	}
	return list
}

func (e *execution) allDead(workloads []model.Workload) bool {
	for _, w := range workloads {
		if !e.dead[w.Name] {
			return false
		}
	}
	return true
}

// within limits an estimate of the measuring time that remains after the current step to what there is: certain
// seconds and more, but of the latter only whole units, because none is begun that does not fit before the limit most.
func (e *execution) within(most, certain, more, unit float64) float64 {
	room := max(0, most-e.spent-e.current)
	certain = min(certain, room)
	if unit <= 0 {
		return certain
	}
	return certain + min(more, unit*math.Floor((room-certain)/unit))
}

// slot is the total time of a repeat.
func slot(s model.Schedule) float64 { return s.Ramp + s.Repeat + s.Overhead }
