package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
)

// A worker holds what it measures from the first probe to the end: the file that it created, or the file or
// device that was there. Probe, prefill, every step and the proof use that one descriptor.

// held returns the object, nil if there is none: for servers, for fakes, and in a directory before a file
// is created.
func (w *worker) held() *volume.Object {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.object
}

// hold takes an object in place of an earlier one, which must have been released.
func (w *worker) hold(o *volume.Object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.object = o
}

// guard decides whether the target may be written, and holds it if it exists.
func (w *worker) guard(ctx context.Context, v *model.Volume, write bool, destroy string) error {
	if volume.MakesFile(v.Target) {
		return nil
	}
	switch v.Target.Kind {
	case model.File, model.BlockDevice:
	default:
		if !write {
			return nil
		}
		return volume.Guard(ctx, w.Env, v.Target, destroy)
	}
	if o := w.held(); o != nil {
		if !write {
			v.Open = o.File()
			return o.Check()
		}
		if o.Writable() {
			v.Open = o.File()
			// Anyone who has begun to use it since it was opened did so after the first I/O.
			if err := o.Check(); err != nil {
				return err
			}
			return o.Guard(ctx, w.Env)
		}
		// An object that is held for reading is not held exclusively.
		if err := w.release(); err != nil {
			return err
		}
	}
	o, err := volume.Open(ctx, w.Env, v.Target, write, destroy, w.share)
	if err != nil {
		return err
	}
	w.hold(o)
	v.Open = o.File()
	return nil
}

// obtain creates the file of an owned volume, or guards an existing target that is to be filled.
func (w *worker) obtain(ctx context.Context, v *model.Volume, req model.PrepareRequest) error {
	switch {
	case v.Target.Kind == model.Fake:
		return nil
	case v.Owned && !v.Prefill && w.held() != nil && w.held().Made():
		// A file that was created and filled for an earlier cycle is measured again.
		return w.lookAgain(v)
	case v.Owned:
		// Remove a file that was created ahead of a plan that turned out different.
		if err := w.cleanup(); err != nil {
			return err
		}
		return w.create(v)
	}
	return w.guard(ctx, v, v.Prefill, req.Destroy)
}

// create creates the data file of an owned volume and holds it.
func (w *worker) create(v *model.Volume) error {
	if err := volume.CheckSpace(v.Target, v.Size); err != nil {
		return err
	}
	o, err := volume.Create(v.Target, w.RunID, v.Size)
	if err != nil {
		return err
	}
	w.hold(o)
	v.Path, v.Open = o.Path(), o.File()
	return nil
}

// lookAgain sets the volume's path and file to what is held, and checks that the name still refers to it.
func (w *worker) lookAgain(v *model.Volume) error {
	o := w.held()
	if v.Target.Kind == model.Fake {
		return nil
	}
	if o == nil {
		if v.Owned {
			return model.BrokenError("the worker was told to measure a volume that it has not prepared", "")
		}
		if v.Path != "" {
			return model.BrokenError(fmt.Sprintf("the worker was told to measure %s, which it does not hold", v.Path), "")
		}
		return nil
	}
	v.Path, v.Open = o.Path(), o.File()
	return o.Check()
}

// check compares what is held with what its name refers to now.
func (w *worker) check() error {
	if o := w.held(); o != nil {
		return o.Check()
	}
	return nil
}

// cleanup removes what this worker created. It may be called at any time and twice.
func (w *worker) cleanup() error {
	if w.workDir != nil {
		return w.leaveApplication()
	}
	if o := w.held(); o == nil || !o.Made() {
		return nil
	}
	return w.release()
}

// discardLimit is how long discarding may take, which delays the end of a run.
const discardLimit = 30 * time.Second

// discard discards the part of a device that this worker has filled, and returns the number of bytes. It is
// no error if the device cannot discard.
func (w *worker) discard() int64 {
	o := w.held()
	if o == nil || w.filled == 0 {
		return 0
	}
	given, _ := o.Discard(context.Background(), w.filled, discardLimit)
	return given
}

// release releases what is held, and removes it if this worker created it.
func (w *worker) release() error {
	if w.workDir != nil {
		return w.leaveApplication()
	}
	w.mu.Lock()
	o := w.object
	w.object = nil
	w.mu.Unlock()
	if o == nil {
		return nil
	}
	return o.Close()
}
