package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// repeat is one step that the workers of a group do at the same time, and what they report of it.
type repeat struct {
	*execution
	side     *side
	step     model.Step
	workload model.Workload
	// begin is when it begins, base the same in seconds since the run began.
	begin time.Time
	base  float64
	// group are its workers. ctx ends for all of them when stop is called.
	group  []*Worker
	ctx    context.Context
	stop   context.CancelFunc
	events chan event

	// quotas are what each worker may still send.
	quotas  []quota
	results []model.StepResult
	fresh   []model.Sample
	err     error
}

// event is what a worker reports: one of these, or an error.
type event struct {
	worker int
	ev     model.Event
	result *model.StepResult
	beside *model.Beside
	err    error
}

// repeat runs the step at every worker of the group at the same time and collects the samples.
func (e *execution) repeat(ctx context.Context, s *side, step model.Step, w model.Workload, begin time.Time, base float64) ([]model.StepResult, []model.Sample, error) {
	r := &repeat{execution: e, side: s, step: step, workload: w, begin: begin, base: base, group: s.workers[:s.groupSize(w)], events: make(chan event, 64)}
	r.ctx, r.stop = context.WithCancel(ctx)
	defer r.stop()
	r.quotas = make([]quota, len(r.group))
	r.start()
	for over := 0; over < len(r.group); {
		if r.take(<-r.events) {
			over++
		}
	}
	for i := range r.results {
		if r.results[i].Error == model.StoppedStep && r.ctx.Err() != nil {
			r.results[i].Error, r.results[i].EndedEarly = "", true
		}
	}
	return r.results, r.fresh, r.err
}

// start starts all workers, each in its turn. If the idle machine is still to be measured, the first one does
// that meanwhile, and is the last.
func (r *repeat) start() {
	meanwhile := r.side.idlePending && r.side.looksMeanwhile(r.workload)
	r.side.idlePending = false
	for i := range r.group {
		request := model.StartRequest{Step: r.step, Workload: r.workload, Volume: r.side.plan.VolumeOf(i)}
		if len(r.group) > 1 {
			request.At = r.begin.Add(r.side.offsets[i]).UnixNano()
		}
		place := i
		if meanwhile {
			place = (i + len(r.group) - 1) % len(r.group)
		}
		go r.run(i, request, system.After(r.side.startDelay(place)), meanwhile && i == 0)
	}
}

// run has a worker do the step when it is due, and before that, if asked, look at the idle machine. Its last
// event has the result or an error.
func (r *repeat) run(i int, request model.StartRequest, due <-chan time.Time, looks bool) {
	if looks {
		b, err := r.side.look(r.ctx)
		// If the repeat was stopped, Start reports that.
		if r.ctx.Err() == nil {
			r.events <- event{worker: i, beside: b, err: err}
			if err != nil {
				return
			}
		}
	}
	select {
	case <-due:
	case <-r.ctx.Done():
	}
	res, err := r.group[i].Start(r.ctx, request, func(ev model.Event) { r.events <- event{worker: i, ev: ev} })
	r.events <- event{worker: i, result: res, err: err}
}

// take records an event, and reports whether it was its worker's last.
func (r *repeat) take(in event) (last bool) {
	switch {
	case in.err != nil:
		if lost, cause := r.lost(r.side, r.step, in.worker, r.begin, r.fresh, in.err); lost != nil {
			r.results = append(r.results, *lost)
			in.err = fmt.Errorf("%s: %w", lost.Lost, cause)
		}
		r.err = errors.Join(r.err, in.err)
		r.stop()
		return true
	case in.beside != nil:
		r.failed(r.side.recorder.Beside(*in.beside))
	case in.result != nil:
		in.result.Worker = in.worker
		r.results = append(r.results, *in.result)
		// If something was lost in a repeat, for example because a server crashed, fail here: no later
		// repeat may detect it.
		for _, broken := range []string{in.result.Replaced, in.result.Lost} {
			if broken != "" {
				r.failed(model.BrokenError(broken, ""))
			}
		}
		return true
	case in.ev.Sample != nil:
		r.takeSample(in.worker, *in.ev.Sample)
	case in.ev.Raw != nil:
		if !r.exceeded(r.quotas[in.worker].raw(in.ev.Raw)) {
			r.failed(r.side.recorder.Raw(*in.ev.Raw))
		}
	case in.ev.Progress != nil:
		r.tell(r.side, model.Update{Progress: in.ev.Progress})
	}
	return false
}

// takeSample records a worker's sample, and ends a long repeat that has become precise enough.
func (r *repeat) takeSample(worker int, sample model.Sample) {
	if r.exceeded(r.quotas[worker].sample(r.step)) {
		return
	}
	sample.Worker, sample.End, sample.Look = worker, sample.End+r.base, r.step.Look
	r.failed(r.side.recorder.Sample(sample))
	r.fresh = append(r.fresh, sample)
	r.tell(r.side, model.Update{Sample: &sample})
	if r.steady(r.side, r.workload, r.fresh) {
		r.stop()
	}
}

// failed stops the repeat if there is an error, which is added to those before.
func (r *repeat) failed(err error) {
	if err != nil {
		r.err = errors.Join(r.err, err)
		r.stop()
	}
}

// exceeded stops the repeat if a worker has sent more than it may, and reports whether it has. It will send much
// more of it: one error says so.
func (r *repeat) exceeded(err error) bool {
	if err != nil {
		r.err = cmp.Or(r.err, err)
		r.stop()
	}
	return err != nil
}
