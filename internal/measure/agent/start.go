package agent

import (
	"context"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/model"
)

// start runs one step, at the requested time, between two readings of the machine's counters.
func (w *worker) start(ctx context.Context, id int, req model.StartRequest) (*model.StepResult, error) {
	if err := w.lookAgain(&req.Volume); err != nil {
		if w.held() == nil {
			return nil, err
		}
		return &model.StepResult{Step: req.Step, Error: err.Error(), Replaced: err.Error()}, nil
	}
	tool, err := w.Tools.For(req.Volume.Target.Kind, req.Workload)
	if err != nil {
		return nil, err
	}
	due := w.due(req)
	var o onset
	begin := func() {
		if !due.IsZero() && tool.Virtual == nil {
			select {
			case <-w.Env.After(due.Sub(w.Env.Now())):
			case <-ctx.Done():
			}
		}
		o.begin(w, due)
	}
	emit := func(ev model.Event) {
		ev.ID = id
		if ev.Sample != nil {
			ev.Sample.Step = req.Step.Number
			o.sample(ev.Sample, w.Env.Now())
		}
		w.emit(ev)
	}
	res, err := tool.Driver.Run(ctx, req, begin, emit)
	if err != nil {
		return nil, err
	}
	res.Step = req.Step
	if tool.Virtual == nil {
		o.end(w, &res)
	}
	if w.held() != nil {
		if err := w.check(); err != nil {
			res.Replaced = err.Error()
		}
		res.Held = res.Replaced == ""
	}
	return &res, nil
}

// due returns when a step should begin; the zero time means as soon as it can. The time has a monotonic
// reading: a clock that is set while an application is prepared, for minutes perhaps, moves nothing.
func (w *worker) due(req model.StartRequest) time.Time {
	now := w.Env.Now()
	switch {
	case req.At > 0:
		return now.Add(time.Unix(0, req.At).Sub(now))
	case w.app != nil:
		// An application is prepared for each repeat before it begins, and its time counts from this
		// preparation.
		return now
	}
	return time.Time{}
}

// onset is the time at which a step began, and the machine's counters since then. The driver may emit from
// another goroutine than the one that calls begin.
type onset struct {
	mu      sync.Mutex
	counter *observe.Counter
	// log counts the device of an application's log, nil if the log does not have its own.
	log   *observe.Counter
	begun time.Time
	// delay is how much later than requested the step began, in seconds.
	delay float64
	pair  pairing
}

// begin notes that the step begins now; due is when it should begin, zero for now.
func (o *onset) begin(w *worker, due time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.counter = observe.Begin(w.Env.Clock, w.device)
	if w.logDevice != "" {
		o.log = observe.Begin(w.Env.Clock, w.logDevice)
	}
	o.begun = w.Env.Now()
	if !due.IsZero() && w.virtual == nil {
		o.delay = max(0, o.begun.Sub(due).Seconds())
	}
	o.pair = pairing{counter: o.counter, begin: o.begun}
}

// sample reads the machine's counters with a sample, and makes the sample's time relative to when the step
// should have begun.
func (o *onset) sample(s *model.Sample, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.counter == nil {
		return
	}
	o.pair.sample(s, now)
	s.End += o.delay
}

// end completes the result of a step. A step whose tool failed too early never began.
func (o *onset) end(w *worker, res *model.StepResult) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.counter == nil {
		return
	}
	res.Delay, res.Ended = o.delay, o.delay+w.Env.Now().Sub(o.begun).Seconds()
	counters := o.counter.End()
	countLog(o.log, &counters)
	o.pair.join(counters.Window)
	res.Counters = &counters
}
