package agent

import (
	"context"
	"fmt"

	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
)

// probeLog probes the volume of an application's log, if it has its own.
func (w *worker) probeLog(ctx context.Context, req model.ProbeRequest, res *model.ProbeResult) error {
	t := *req.Log
	// Claims in a cluster may be directories of a shared disk.
	if t.Cluster == nil && volume.SameFilesystem(t.Path, req.Target.Path) {
		return model.RefusedError(fmt.Sprintf("--wal %s is on the filesystem of the data, %s: that is not a volume of its own, and would change nothing", t.Name, req.Target.Name),
			"name a directory on another filesystem, or leave --wal out")
	}
	look := volume.Probe
	if req.LookOnly {
		look = volume.Look
	}
	storage, err := look(ctx, w.Env, t)
	if err != nil {
		return err
	}
	res.Environment.LogStorage = &storage
	res.Log = &model.Volume{Target: t, Size: volume.Capacity(storage, t, true)}
	// If both are on one device, its counts cannot tell them apart.
	if w.logDevice = storage.Device; w.logDevice == w.device {
		w.logDevice = ""
	}
	return nil
}

// makeLogDir creates the working directory of the log, if it has its own volume.
func (w *worker) makeLogDir(req *model.PrepareRequest) (err error) {
	if req.Volume.Log == nil {
		return nil
	}
	if w.logDir, err = volume.MakeWorkDir(req.Volume.Log.Target.Path, w.RunID); err != nil {
		return err
	}
	log := *req.Volume.Log
	log.Root, req.Volume.Log = w.logDir.Root(), &log
	return nil
}

// countLog adds the counts of the log's device since the counter began to those of a step; the counter may
// be nil.
func countLog(counter *observe.Counter, to *model.Counters) {
	if counter == nil {
		return
	}
	c := counter.End()
	to.LogDevice, to.LogDeviceReads, to.LogDeviceWrites, to.LogDeviceFlushes, to.LogDeviceWritten = c.Device, c.DeviceReads, c.DeviceWrites, c.DeviceFlushes, c.DeviceWritten
}
