package agent

import (
	"context"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/observe"
)

// start runs one step, at the asked clock time, between two readings of the
// machine's own counters.
func (w *worker) start(ctx context.Context, id int, req model.StartRequest) (*model.StepResult, error) {
	if req.Volume.Owned && req.Volume.Path == "" {
		w.mu.Lock()
		req.Volume.Path = w.owned
		w.mu.Unlock()
		if req.Volume.Path == "" && req.Volume.Target.Kind != model.Fake {
			return nil, model.BrokenError("the worker was told to measure a volume that it has not prepared", "")
		}
	}
	numbers := req.Volume.Target.Kind == model.Fake
	if req.At > 0 && !numbers {
		select {
		case <-time.After(time.Unix(0, req.At).Sub(w.Env.Now())):
		case <-ctx.Done():
		}
	}
	counter := observe.Begin(w.device)
	begin := w.Env.Now()
	delay := 0.0
	if req.At > 0 && !numbers {
		delay = max(0, begin.Sub(time.Unix(0, req.At)).Seconds())
	}
	pair := pairing{counter: counter, begin: begin}
	res, err := w.Driver(req.Volume.Target.Kind).Run(ctx, req, func(ev model.Event) {
		ev.ID = id
		if ev.Sample != nil {
			ev.Sample.Step = req.Step.Number
			pair.sample(ev.Sample, w.Env.Now())
			ev.Sample.End += delay
		}
		w.emit(ev)
	})
	if err != nil {
		return nil, err
	}
	res.Step = req.Step
	if !numbers {
		res.Delay, res.Ended = delay, delay+w.Env.Now().Sub(begin).Seconds()
		counters := counter.End()
		pair.join(counters.Window)
		res.Counters = &counters
	}
	return &res, nil
}
