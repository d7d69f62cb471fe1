package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/proof"
	"github.com/loadline/loadline/internal/model/units"
)

// prepare creates, fills and proves the volume.
func (w *worker) prepare(ctx context.Context, id int, req model.PrepareRequest) (*model.Preparation, error) {
	v := req.Volume
	if tool, err := w.application(v.Target); tool.Application != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return w.readyApplication(ctx, id, req, tool)
	}
	tool, err := w.Tools.Filler(v.Target.Kind)
	if err != nil {
		return nil, err
	}
	if err := w.obtain(ctx, &v, req); err != nil {
		return nil, err
	}
	prep := &model.Preparation{Path: v.Path}
	limit := time.Duration(req.MaxSeconds * float64(time.Second))
	var begin time.Time
	var read []float64
	tell := func(p model.Progress) {
		switch {
		case p.Phase == model.PhasePrefill && p.Rate == 0 && p.Done > 0 && p.Done < p.Total:
			// The storage stalled for this second.
			prep.Rates = append(prep.Rates, 0)
		case p.Rate <= 0:
		case p.Phase == model.PhasePrefill:
			prep.Rates = append(prep.Rates, p.Rate)
		case p.Phase == model.PhaseProve:
			read = append(read, p.Rate)
		}
		if p.Phase == model.PhasePrefill && limit > 0 {
			// The last blocks may be reported after the limit.
			p.Limit = max(limit-w.Env.Now().Sub(begin), time.Millisecond).Seconds()
		}
		w.emit(model.Event{ID: id, Progress: &p})
	}
	if v.Prefill {
		begin = w.Env.Now()
		prep.Written, err = tool.Filler.Fill(ctx, v, limit, tell)
		prep.Seconds = w.Env.Now().Sub(begin).Seconds()
		if tool.Virtual != nil {
			prep.Seconds = max(prep.Seconds, tool.Virtual.Filled())
		}
		if slow := (model.SlowFill{}); errors.As(err, &slow) {
			err = w.shrink(&v, prep, max(req.Least, 1), slow)
		}
		if err != nil {
			return nil, err
		}
		w.emit(model.Event{ID: id, Progress: &model.Progress{Phase: model.PhasePrefill, Done: float64(prep.Written), Total: float64(v.Size), Seconds: prep.Seconds}})
		if !v.Owned {
			w.filled = prep.Written
		}
	}
	if prep.Proof, err = w.prove(ctx, tool.Filler, v, tell); err != nil {
		return nil, err
	}
	if prep.Proof.Rates = read; len(read) > 0 {
		prep.Proof.Bandwidth = slices.Max(read)
	}
	return prep, w.check()
}

// shrinkStep is the unit of the size of a volume that is shrunk.
const shrinkStep = 1 << 20

// shrink reduces the volume to what was written of it in the available time, if that is enough to measure
// on.
func (w *worker) shrink(v *model.Volume, prep *model.Preparation, least int64, slow model.SlowFill) error {
	size := prep.Written / shrinkStep * shrinkStep
	if size < least {
		slow.Message += fmt.Sprintf(" These workloads need at least %s.", units.FormatSize(least))
		return slow.WorkerError
	}
	if o := w.held(); o != nil && o.Made() {
		if err := errors.Join(o.File().Truncate(size), o.File().Sync()); err != nil {
			return model.BrokenError(fmt.Sprintf("%s cannot be cut to what was written: %v.", v.Path, err), "")
		}
	}
	v.Size, prep.Size = size, size
	// A single second is too short to average over a cache that alternately fills and drains.
	last := prep.Rates[len(prep.Rates)*2/3:]
	for _, rate := range last {
		prep.Slow += rate / float64(len(last))
	}
	if prep.Slow == 0 {
		prep.Slow = float64(prep.Written) / prep.Seconds
	}
	return nil
}

// prove asks the filesystem if there is one; if there is none and the content is Loadline's, it reads
// everything back, and samples it if it was there before.
func (w *worker) prove(ctx context.Context, filler load.Filler, v model.Volume, tell func(model.Progress)) (model.Proof, error) {
	none := model.Proof{Method: proof.None, Detail: "the content is not ours, so nothing is known about holes in it"}
	if o := w.held(); o != nil && v.Target.Kind != model.BlockDevice {
		found, err := o.Prove(v.Size)
		if err != nil || found.Method.Exists() {
			return found, err
		}
		none = found
	}
	if !v.Prefill {
		o := w.held()
		if o == nil {
			return none, nil
		}
		err := o.SampleZeros(ctx, v.Size, &none)
		return none, err
	}
	return filler.ReadBack(ctx, v, tell)
}
