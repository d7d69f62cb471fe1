package agent

import (
	"context"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// prepare creates, fills and proves the volume.
func (w *worker) prepare(ctx context.Context, id int, req model.PrepareRequest) (*model.Preparation, error) {
	v := req.Volume
	driver := w.Driver(v.Target.Kind)
	if err := w.obtain(ctx, &v, req); err != nil {
		return nil, err
	}
	prep := &model.Preparation{Path: v.Path}
	read := 0.0
	tell := func(p model.Progress) {
		switch {
		case p.Rate <= 0:
		case p.Phase == "prefill":
			prep.Rates = append(prep.Rates, p.Rate)
		case p.Phase == "prove":
			read = max(read, p.Rate)
		}
		w.emit(model.Event{ID: id, Progress: &p})
	}
	var err error
	if v.Prefill {
		begin := w.Env.Now()
		limit := time.Duration(3 * req.MaxSeconds * float64(time.Second))
		if prep.Written, err = driver.Fill(ctx, v, limit, tell); err != nil {
			return nil, err
		}
		prep.Seconds = w.Env.Now().Sub(begin).Seconds()
	}
	if prep.Proof, err = w.prove(ctx, driver, v, tell); err != nil {
		return nil, err
	}
	prep.Proof.Bandwidth = read
	return prep, w.check()
}

// prove asks the filesystem where there is one, and reads everything back where
// there is none and the content is our own.
func (w *worker) prove(ctx context.Context, driver Driver, v model.Volume, tell func(model.Progress)) (model.Proof, error) {
	none := model.Proof{Method: "none", Detail: "the content is not ours, so nothing is known about holes in it"}
	if o := w.held(); o != nil && v.Target.Kind != model.BlockDevice {
		proof, err := o.Prove(v.Size)
		if err != nil || proof.Method != "none" {
			return proof, err
		}
		none = proof
	}
	if !v.Prefill {
		return none, nil
	}
	return driver.ReadBack(ctx, v, tell)
}
