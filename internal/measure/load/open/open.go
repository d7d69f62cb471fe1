// Package open is a load driver for open loops: I/Os are due at random times, whether or not
// earlier ones have completed, and latencies count from when an I/O was due.
//
// Its assumptions: this is the one load that fio cannot generate. Its rate mode begins a late I/O late
// and times it from there, so storage that stalls for half a second looks as if a single request
// had waited (coordinated omission). Here an I/O that cannot begin, because all slots are taken or
// because the kernel does not return from a submission, is late all the same. Everything else is
// left to fio: closed loops, prefill, verification.
//
// A single thread does everything: it sleeps until the next I/O is due or one has completed. So the
// load generator costs little, and its own lateness is measured and reported.
package open

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// Driver runs open loops. Dial connects to an NBD export and returns the connected socket, after
// the negotiation, for the driver's own requests.
type Driver struct {
	Dial func(ctx context.Context, uri string) (*os.File, error)
	// Clock is the clock for due and completion times.
	Clock env.Clock
}

// Tool returns the driver as a worker's tool: for open loops on all real storage. fio prepares the volumes.
func Tool(d *Driver) load.Tool {
	return load.Tool{
		Name: "open", Driver: d,
		Serves: func(kind model.TargetKind, w model.Workload) bool { return kind != model.Fake && w.OpenLoop },
	}
}

// drainLimit is how long I/Os in flight may take after the end of a repeat. Storage that stalls for
// minutes and recovers is measured as such.
const drainLimit = 2 * time.Minute

// stopLimit is the same for a repeat that is cancelled.
const stopLimit = 30 * time.Second

// device begins and completes I/Os. Its methods are called by one thread.
type device interface {
	// submit begins the I/O of a slot. It may block.
	submit(slot int, write bool, offset int64) error
	// reap waits until an I/O completes or the time is up, and calls ended for each that has
	// completed, with its error.
	reap(wait time.Duration, ended func(slot int, err error)) error
	// close releases everything; all I/Os must have completed, or idle must be false.
	close(idle bool)
}

// Run runs one repeat, ramp included, and emits a sample for each second after the ramp.
func (d *Driver) Run(ctx context.Context, req model.StartRequest, begin func(), emit func(model.Event)) (model.StepResult, error) {
	res := model.StepResult{Step: req.Step}
	w := req.Workload
	if w.RateIOPS <= 0 || w.Direction == model.Mixed || w.Depth < 1 {
		return res, model.BrokenError(fmt.Sprintf("%s is not an open loop: it needs a rate, a bound of I/Os in flight and one direction", w.Name), "")
	}
	dev, err := d.reach(ctx, req)
	if err != nil {
		return res, err
	}
	begin()
	// Samples are written by another goroutine: the one that keeps time must not wait.
	samples := make(chan model.Sample, int(req.Step.Seconds)+2)
	over := make(chan ending, 1)
	go keepTime(ctx, d.Clock, dev, req, samples, over)
	for s := range samples {
		emit(model.Event{Sample: &s})
	}
	e := <-over
	res.Due, res.IOErrors, res.Error = e.due, e.failed, e.fault
	res.Stalls = e.stalls
	res.UserCPU, res.SystemCPU, res.DepthLevels = e.user, e.system, e.levels()
	res.CPUWait = e.waited
	if e.begun > 0 {
		res.Late = e.late / float64(e.begun)
	}
	return res, nil
}

// Version returns the driver's version: it is a part of Loadline.
func (d *Driver) Version(context.Context) (string, error) { return "1", nil }

// Ceiling is unknown: an open loop reports how late it was instead.
func (d *Driver) Ceiling(context.Context, model.Workload, model.Volume, time.Duration) (rate float64, known bool, err error) {
	return 0, false, nil
}

// reach opens the target of the repeat.
func (d *Driver) reach(ctx context.Context, req model.StartRequest) (device, error) {
	v, w := req.Volume, req.Workload
	if w.BlockSize < 512 || v.Size < w.BlockSize {
		return nil, model.BrokenError(fmt.Sprintf("blocks of %d bytes do not fit a volume of %d bytes", w.BlockSize, v.Size), "")
	}
	switch v.Target.Kind {
	case model.Directory, model.File, model.BlockDevice:
		return openFile(v, w)
	case model.NBD:
		sock, err := d.Dial(ctx, v.Target.URI)
		if err != nil {
			return nil, model.BrokenError(fmt.Sprintf("%s cannot be reached: %v", v.Target.Name, err), "")
		}
		return openNBD(sock, w)
	}
	return nil, model.RefusedError(fmt.Sprintf("an open loop cannot reach %s", v.Target.Name), "")
}
