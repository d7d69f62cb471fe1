package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// Judge estimates a workload's headline from the good samples so far, and decides whether that is enough. The samples
// are those of all workloads by name, in chronological order; of a look, as many seconds as a repeat has count.
type Judge interface {
	Judge(p *model.Plan, w model.Workload, samples map[string][]model.Sample) model.Judgement
}

// Scheduler draws the repeats of one more round over the given workloads.
type Scheduler interface {
	Round(p *model.Plan, round int, workloads []model.Workload, firstNumber int) []model.Step
}

// Recorder saves what happens, as it happens. An error ends the run: measurements that cannot be saved
// would be lost.
type Recorder interface {
	Prepared(model.Preparation) error
	Raw(model.Raw) error
	Sample(model.Sample) error
	// Step records a step: the results of all its workers.
	Step(...model.StepResult) error
	Beside(model.Beside) error
	Finish(model.Status, string) error
}

// Observer watches a run. Observe must not block for long.
type Observer interface {
	Observe(model.Update)
}

// Options are the options of Execute. All fields but the last two are required.
type Options struct {
	Plan      model.Plan
	Workers   []*Worker
	Judge     Judge
	Scheduler Scheduler
	Recorder  Recorder
	Observer  Observer
	Now       func() time.Time
	Beside    Evidence
	// Looker chooses the looks; if it is nil, there are none.
	Looker Looker
}

// startMargin is how far in the future a common start is set, in addition to the time that the plan allows
// for starting the volumes' tools.
const startMargin = 500 * time.Millisecond

// Execute prepares the volumes, does the plan's steps and as many further rounds as precision needs and
// time allows. It returns the status that it recorded. The error is nil if the run is complete, ctx.Err()
// if it was interrupted, and a *model.WorkerError or another error if it failed.
func Execute(ctx context.Context, o Options) (model.Status, error) {
	r := &run{
		execution: newExecution(o.Judge, o.Observer, o.Now), scheduler: o.Scheduler,
		side:    &side{plan: o.Plan, workers: o.Workers, recorder: o.Recorder, beside: o.Beside, looking: looking{looker: o.Looker}},
		samples: map[string][]model.Sample{},
	}
	r.remaining, r.promised = r.left, r.unlooked
	status, reason, err := outcome(ctx, r.run(ctx))
	return status, errors.Join(err, o.Recorder.Finish(status, reason))
}

// run is the state of one Execute.
type run struct {
	execution
	*side
	scheduler Scheduler
	samples   map[string][]model.Sample
}

func (r *run) run(ctx context.Context) error {
	if err := r.prepare(ctx, r.side); err != nil {
		return err
	}
	if err := r.clocks(ctx, r.side); err != nil {
		return err
	}
	schedule := r.plan.Schedule
	steps := r.plan.Steps
	if r.idlePending = r.firstLooksMeanwhile(); !r.idlePending {
		if err := r.idle(ctx, r.side); err != nil {
			return err
		}
	}
	for round := r.lastRound() + 1; len(steps) > 0; round++ {
		for len(steps) > 0 {
			steps = r.readersFirst(steps)
			step := steps[0]
			steps = steps[1:]
			r.gone++
			r.choose(r.side, step)
			if r.dead[step.Workload] || r.steadily[step.Workload] || r.replaced(step) {
				continue
			}
			if step.Round > schedule.MinRounds && r.spent+r.cost(r.side, step) > r.most(r.side) {
				continue
			}
			if err := r.planned(ctx, step); err != nil {
				return err
			}
		}
		if err := r.chosen(ctx); err != nil {
			return err
		}
		if r.allDead(r.plan.Workloads) {
			return errors.New("every workload failed")
		}
		steps = r.more(round)
	}
	if err := r.clocks(ctx, r.side); err != nil {
		return err
	}
	return r.after(ctx, r.side)
}

// planned does a step of the plan and, if that is a planned look, those that it makes possible. Workloads
// whose rate fell in a look need no repeats at all.
func (r *run) planned(ctx context.Context, step model.Step) error {
	if !step.Look || !r.looks() {
		return r.repeat(ctx, step)
	}
	err := r.lookAt(r.side, step.Workload, func(name string, seconds float64, _ bool) error {
		look := step
		look.Workload, look.Seconds = name, seconds
		return r.repeat(ctx, look)
	})
	for _, name := range r.fallen(r.side) {
		r.steadily[name] = true
	}
	return err
}

// chosen makes the looks that replace repeats.
func (r *run) chosen(ctx context.Context) error {
	if len(r.looking.chosen) == 0 {
		return nil
	}
	s := r.plan.Schedule
	for len(r.looking.chosen) > 0 {
		if err := r.lookAt(r.side, r.looking.chosen[0], func(name string, seconds float64, _ bool) error {
			return r.repeat(ctx, model.Step{Round: s.MinRounds, Workload: name, Ramp: s.Ramp, Seconds: seconds, Look: true})
		}); err != nil {
			return err
		}
	}
	r.fallen(r.side)
	return nil
}

func (r *run) firstLooksMeanwhile() bool {
	if len(r.plan.Steps) == 0 {
		return false
	}
	w, known := r.plan.Workload(r.plan.Steps[0].Workload)
	return known && r.looksMeanwhile(w)
}

// repeat does one repeat and then judges the workload.
func (r *run) repeat(ctx context.Context, step model.Step) error {
	if err := r.offer(step); err != nil {
		return err
	}
	d, err := r.step(ctx, r.side, step, len(r.plan.Steps))
	if err != nil {
		return err
	}
	u := d.update()
	name := d.workload.Name
	switch {
	case r.dead[name]:
		u.Message = givenUp(d)
	case d.failed == "" && !d.unfilled:
		r.remember(d)
		r.samples[name] = append(r.samples[name], d.samples...)
		j := r.judge.Judge(&r.plan, d.workload, r.drain.settled(r.samples))
		r.done[name], r.steadily[name] = j.Converged, j.Converged && j.Steady
		r.observe[name] = r.spent + j.ObserveFor - j.Observed
		u.Judgement = &j
	}
	r.tell(r.side, u)
	if d.again && ctx.Err() == nil {
		return r.repeat(ctx, step)
	}
	return ctx.Err()
}

// more draws another round over the workloads that are not precise enough, if there is time for any of
// them.
func (r *run) more(round int) []model.Step {
	s := r.plan.Schedule
	if s.Mode != model.Rounds {
		return nil
	}
	open := slices.DeleteFunc(r.open(r.plan.Workloads), func(w model.Workload) bool { return !r.fits(w, r.most(r.side), r.side) })
	if len(open) == 0 {
		return nil
	}
	return r.scheduler.Round(&r.plan, round, open, r.number+1)
}

// left estimates the measuring time that remains after the current step: the guaranteed steps, then, where
// precision decides, one more round of everything that is not precise yet, or as long as it has to be observed.
func (r *run) left() float64 {
	left := r.certain(r.side)
	if r.plan.Schedule.Mode != model.Rounds {
		return left
	}
	open := r.open(r.plan.Workloads)
	more := 0.0
	if r.gone >= len(r.plan.Steps) && left == 0 {
		more = float64(len(open)) * slot(r.plan.Schedule)
	}
	for _, w := range open {
		more = max(more, r.observe[w.Name]-r.spent-r.current-left)
	}
	return r.within(r.most(r.side), left, more, slot(r.plan.Schedule))
}

func (r *run) lastRound() int {
	last := 0
	for _, s := range r.plan.Steps {
		last = max(last, s.Round)
	}
	return last
}
