package agent

import (
	"context"
	"time"

	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/model"
)

// idle counts the machine's activity for a while without load. For virtual storage there is no machine to
// count.
func (w *worker) idle(ctx context.Context, req model.IdleRequest) (*model.Beside, error) {
	if w.virtual != nil {
		w.virtual.Rest(req.Seconds)
		return &model.Beside{}, nil
	}
	counter := observe.Begin(w.Env.Clock, w.device)
	select {
	case <-w.Env.After(time.Duration(req.Seconds * float64(time.Second))):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	counted := counter.End()
	return &model.Beside{Idle: &counted}, nil
}

// ceiling measures the load generator without storage.
func (w *worker) ceiling(ctx context.Context, req model.CeilingRequest) (*model.Beside, error) {
	tool, err := w.Tools.For(req.Volume.Target.Kind, req.Workload)
	if err != nil {
		return nil, err
	}
	rate, known, err := tool.Driver.Ceiling(ctx, req.Workload, req.Volume, time.Duration(req.Seconds*float64(time.Second)))
	if err != nil || !known {
		return &model.Beside{}, err
	}
	return &model.Beside{Ceilings: []model.Ceiling{{Workload: req.Workload.Name, IOPS: rate, Seconds: req.Seconds}}}, nil
}

// maxSampleDelay is how late a sample may arrive if the device's current counts are to belong to it. The
// driver holds some samples back until it knows that they are complete.
const maxSampleDelay = 50 * time.Millisecond

// pairing sums up what the client did between the times at which the device's counts were read.
type pairing struct {
	counter *observe.Counter
	begin   time.Time
	marked  bool
	// sum is up to the last mark; pending is what came since.
	sum, pending model.Window
}

// sample reads the device's counts if the sample has only just ended.
func (p *pairing) sample(s *model.Sample, now time.Time) {
	if f := s.Read; f != nil {
		p.pending.ClientReads += f.IOs
		p.pending.ClientRead += f.Bytes
	}
	if f := s.Write; f != nil {
		p.pending.ClientWrites += f.IOs
		p.pending.ClientWritten += f.Bytes
	}
	if now.Sub(p.begin) > time.Duration(s.End*float64(time.Second))+maxSampleDelay {
		return
	}
	p.counter.Mark()
	if p.marked {
		p.sum.ClientReads += p.pending.ClientReads
		p.sum.ClientRead += p.pending.ClientRead
		p.sum.ClientWrites += p.pending.ClientWrites
		p.sum.ClientWritten += p.pending.ClientWritten
	}
	p.marked, p.pending = true, model.Window{}
}

// join adds the client's counts to the device's.
func (p *pairing) join(w *model.Window) {
	if w != nil {
		w.ClientReads, w.ClientWrites = p.sum.ClientReads, p.sum.ClientWrites
		w.ClientRead, w.ClientWritten = p.sum.ClientRead, p.sum.ClientWritten
	}
}
