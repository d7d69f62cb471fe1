package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// Judge says what is known of a workload's headline from its good samples so
// far, in the order of time, and whether that is enough.
type Judge interface {
	Judge(w model.Workload, s model.Schedule, samples []model.Sample) model.Judgement
}

// Scheduler draws the visits of one more round over the given workloads.
type Scheduler interface {
	Round(p *model.Plan, round int, workloads []model.Workload, firstNumber int) []model.Step
}

// Recorder keeps what happens, as it happens. An error ends the run: measuring
// on without keeping would be lost work.
type Recorder interface {
	Prepared(model.Preparation) error
	Raw(model.Raw) error
	Sample(model.Sample) error
	Step(model.StepResult) error
	Finish(model.Status, string) error
}

// Observer watches. Observe must not block for long.
type Observer interface {
	Observe(model.Update)
}

// Options is what Execute needs. All fields are required.
type Options struct {
	Plan      model.Plan
	Workers   []*Worker
	Judge     Judge
	Scheduler Scheduler
	Recorder  Recorder
	Observer  Observer
	Now       func() time.Time
}

// startMargin is how far in the future a common start is set when there are
// several workers.
const startMargin = 500 * time.Millisecond

// Execute prepares the volumes, does the plan's steps and as many further rounds
// as precision needs and time allows. It returns the status that it recorded and
// the reason in words. The error is nil when the run is complete; ctx.Err() when
// it was interrupted; a *model.WorkerError or another error when it failed.
func Execute(ctx context.Context, o Options) (model.Status, error) {
	e := &execution{Options: o, began: o.Now(), samples: map[string][]model.Sample{}, dead: map[string]bool{}, done: map[string]bool{}}
	err := e.run(ctx)
	status, reason := model.Complete, ""
	switch {
	case err == nil:
	case ctx.Err() != nil:
		status, reason, err = model.Interrupted, "interrupted before the plan was done", ctx.Err()
	default:
		status, reason = model.Failed, err.Error()
	}
	return status, errors.Join(err, o.Recorder.Finish(status, reason))
}

// execution is the state of one Execute.
type execution struct {
	Options
	began time.Time
	// clock is the end of the last step in seconds since the run began; fakes run
	// ahead of real time, so it is not the wall clock.
	clock float64
	// spent is the measuring time used up, in seconds.
	spent   float64
	samples map[string][]model.Sample
	// dead workloads had a step that failed; done ones are precise enough.
	dead, done map[string]bool
	number     int
}

func (e *execution) run(ctx context.Context) error {
	for i, w := range e.Workers {
		prep, err := w.Prepare(ctx, model.PrepareRequest{
			Volume: e.Plan.Volume, Destroy: e.Plan.Experiment.DestroyDataOn, MaxSeconds: e.Plan.Experiment.MaxPrefill,
		}, func(p model.Progress) { e.tell(model.Update{Progress: &p}) })
		if err != nil {
			return err
		}
		if i == 0 {
			if err := e.Recorder.Prepared(*prep); err != nil {
				return err
			}
		}
	}
	e.clock = e.Now().Sub(e.began).Seconds()
	steps := e.Plan.Steps
	for round := e.lastRound() + 1; len(steps) > 0; round++ {
		for _, step := range steps {
			if e.dead[step.Workload] {
				continue
			}
			if step.Round > e.Plan.Schedule.MinRounds && e.spent+e.cost(step) > e.Plan.Schedule.MaxTime {
				continue
			}
			if err := e.step(ctx, step); err != nil {
				return err
			}
		}
		if e.allDead() {
			return errors.New("every workload failed")
		}
		steps = e.more(round)
	}
	return nil
}

// more draws another round over what is not precise enough, if there is time for
// any of it.
func (e *execution) more(round int) []model.Step {
	s := e.Plan.Schedule
	if s.Mode != model.Rounds {
		return nil
	}
	var open []model.Workload
	for _, w := range e.Plan.Workloads {
		if !e.dead[w.Name] && !e.done[w.Name] {
			open = append(open, w)
		}
	}
	if len(open) == 0 || e.spent+s.Ramp+s.Visit+s.Overhead > s.MaxTime {
		return nil
	}
	return e.Scheduler.Round(&e.Plan, round, open, e.number+1)
}

// step does one visit at all workers and judges the workload afterwards.
func (e *execution) step(ctx context.Context, step model.Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.number++
	step.Number = e.number
	w, known := e.Plan.Workload(step.Workload)
	if !known {
		return fmt.Errorf("the plan has a step for %q, but no such workload", step.Workload)
	}
	e.tell(model.Update{Step: &step, Workload: &w, Steps: e.stepsPlanned()})
	base := max(e.clock, e.Now().Sub(e.began).Seconds())
	results, fresh, err := e.visit(ctx, step, w, base)
	failed := ""
	for i := range results {
		r := &results[i]
		r.Ended += base
		r.Started = base
		e.clock = max(e.clock, r.Ended, base+step.Ramp)
		if r.Error != "" {
			failed = r.Error
		}
		if recErr := e.Recorder.Step(*r); recErr != nil {
			return recErr
		}
	}
	e.spent += max(e.clock-base, 0)
	if err != nil {
		return err
	}
	u := model.Update{Result: &results[0]}
	switch {
	case failed != "" && ctx.Err() == nil:
		e.dead[w.Name] = true
		u.Message = fmt.Sprintf("%s is given up after a failed visit: %s", w.Name, failed)
	case failed == "":
		e.samples[w.Name] = append(e.samples[w.Name], fresh...)
		j := e.Judge.Judge(w, e.Plan.Schedule, e.samples[w.Name])
		e.done[w.Name] = j.Converged
		u.Judgement = &j
	}
	e.tell(u)
	return ctx.Err()
}

// visit runs the step at every worker at the same time and gathers the samples.
func (e *execution) visit(ctx context.Context, step model.Step, w model.Workload, base float64) ([]model.StepResult, []model.Sample, error) {
	type event struct {
		worker int
		ev     model.Event
		result *model.StepResult
		err    error
	}
	visitCtx, stop := context.WithCancel(ctx)
	defer stop()
	events := make(chan event, 64)
	var at int64
	if len(e.Workers) > 1 {
		at = e.Now().Add(startMargin).UnixNano()
	}
	for i, worker := range e.Workers {
		go func() {
			res, err := worker.Start(visitCtx, model.StartRequest{Step: step, Workload: w, Volume: e.Plan.Volume, At: at},
				func(ev model.Event) { events <- event{worker: i, ev: ev} })
			events <- event{worker: i, result: res, err: err}
		}()
	}
	var results []model.StepResult
	var fresh []model.Sample
	var firstErr error
	for ended := 0; ended < len(e.Workers); {
		in := <-events
		switch {
		case in.err != nil:
			ended++
			firstErr = errors.Join(firstErr, in.err)
			stop()
		case in.result != nil:
			ended++
			in.result.Worker = in.worker
			results = append(results, *in.result)
		case in.ev.Sample != nil:
			s := *in.ev.Sample
			s.Worker, s.End = in.worker, s.End+base
			if err := e.Recorder.Sample(s); err != nil {
				firstErr = errors.Join(firstErr, err)
				stop()
			}
			fresh = append(fresh, s)
			e.tell(model.Update{Sample: &s})
			if e.steady(w, fresh) {
				stop()
			}
		case in.ev.Raw != nil:
			if err := e.Recorder.Raw(*in.ev.Raw); err != nil {
				firstErr = errors.Join(firstErr, err)
				stop()
			}
		case in.ev.Progress != nil:
			e.tell(model.Update{Progress: in.ev.Progress})
		}
	}
	for i := range results {
		if results[i].Error == model.StoppedStep && visitCtx.Err() != nil {
			results[i].Error, results[i].EndedEarly = "", true
		}
	}
	return results, fresh, firstErr
}

// steadyEvery is how many samples pass between two looks at a long visit.
const steadyEvery = 5

// steady tells whether a long visit may end because its rule holds.
func (e *execution) steady(w model.Workload, fresh []model.Sample) bool {
	if e.Plan.Schedule.Mode != model.Steady || len(fresh)%steadyEvery != 0 {
		return false
	}
	return e.Judge.Judge(w, e.Plan.Schedule, fresh).Converged
}

// tell hands an update to the observer with the times filled in.
func (e *execution) tell(u model.Update) {
	u.Elapsed = max(e.clock, e.Now().Sub(e.began).Seconds())
	u.Left = e.left()
	e.Observer.Observe(u)
}

// left estimates the measuring time that remains: the certain steps, then one
// more round for everything that is not precise yet.
func (e *execution) left() float64 {
	var left float64
	for i, s := range e.Plan.Steps {
		if i >= e.number && !e.dead[s.Workload] {
			left += e.cost(s)
		}
	}
	if e.number >= len(e.Plan.Steps) {
		for _, w := range e.Plan.Workloads {
			if !e.done[w.Name] && !e.dead[w.Name] {
				left += e.Plan.Schedule.Ramp + e.Plan.Schedule.Visit + e.Plan.Schedule.Overhead
			}
		}
	}
	return min(left, max(0, e.Plan.Schedule.MaxTime-e.spent))
}

func (e *execution) cost(s model.Step) float64 { return s.Ramp + s.Seconds + e.Plan.Schedule.Overhead }

func (e *execution) stepsPlanned() int { return max(len(e.Plan.Steps), e.number) }

func (e *execution) lastRound() int {
	last := 0
	for _, s := range e.Plan.Steps {
		last = max(last, s.Round)
	}
	return last
}

func (e *execution) allDead() bool {
	for _, w := range e.Plan.Workloads {
		if !e.dead[w.Name] {
			return false
		}
	}
	return true
}
