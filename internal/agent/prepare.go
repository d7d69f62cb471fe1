package agent

import (
	"context"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/volume"
)

// prepare creates, fills and proves the volume.
func (w *worker) prepare(ctx context.Context, id int, req model.PrepareRequest) (*model.Preparation, error) {
	v := req.Volume
	driver := w.Driver(v.Target.Kind)
	if v.Target.Kind != model.Fake && (v.Prefill || v.Owned) {
		if err := volume.Guard(ctx, w.Env, v.Target, req.Destroy); err != nil {
			return nil, err
		}
	}
	if v.Owned {
		// What was made before, ahead of a plan that then came out different, makes room.
		if err := w.cleanup(); err != nil {
			return nil, err
		}
		if err := w.create(&v); err != nil {
			return nil, err
		}
	}
	prep := &model.Preparation{Path: v.Path}
	tell := func(p model.Progress) { w.emit(model.Event{ID: id, Progress: &p}) }
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
	return prep, nil
}

// prove asks the filesystem where there is one, and reads everything back where
// there is none and the content is our own.
func (w *worker) prove(ctx context.Context, driver Driver, v model.Volume, tell func(model.Progress)) (model.Proof, error) {
	none := model.Proof{Method: "none", Detail: "the content is not ours, so nothing is known about holes in it"}
	if v.Path != "" && v.Target.Kind != model.BlockDevice {
		proof, err := volume.ProveFile(v.Path, v.Size)
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

// create makes the data file of an owned volume and remembers it for cleanup.
func (w *worker) create(v *model.Volume) error {
	path, err := volume.Create(v.Target, w.RunID, v.Size)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.owned = path
	w.mu.Unlock()
	v.Path = path
	return nil
}

// cleanup removes what this worker made. It may be called at any time and twice.
func (w *worker) cleanup() error {
	w.mu.Lock()
	path := w.owned
	w.owned = ""
	w.mu.Unlock()
	if path == "" {
		return nil
	}
	return volume.Remove(path)
}
