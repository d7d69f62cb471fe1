package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// Recording says what is traced, and where the trace is saved.
type Recording struct {
	Trace trace.Options
	// Parent is the directory in which that of the trace is created: Directory or, if that is empty, ID.
	Parent, Directory, ID string
	Labels                model.Labels
	// Command is the command line to record, without secrets.
	Command []string
	// View, if set, is shown the trace while it is made.
	View TraceView
	// Save is called with the complete trace, to compute its report.
	Save func(*store.RecordedTrace) error
	// in is where the trace is made; the zero value means this machine.
	in tracedMachine
}

// TraceView is what shows a running trace.
type TraceView interface {
	// Note is told what the method of tracing cannot see.
	Note(words string)
	// Second is told the I/Os that ended in a second. end is when that second ended, in seconds since the
	// beginning, and of the length of the trace; 0 if it has none.
	Second(end, of float64, samples []iotrace.Sample)
}

// tracedMachine is where a trace is made: what traces, and what is known of the machine.
type tracedMachine struct {
	run         func(context.Context, trace.Options) (iotrace.Run, error)
	environment model.Environment
}

// RecordTrace traces until the time is over or the context ends, and saves each second. Save is not called if
// nothing was traced, or if the end of the trace could not be saved.
func RecordTrace(ctx context.Context, e *env.Env, r Recording) error {
	if r.in.run == nil {
		r.in = tracedMachine{run: trace.Run, environment: observe.Machine(e)}
	}
	o, started := r.Trace, e.Now()
	var w *store.TraceWriter
	fill := func(run iotrace.Run) iotrace.Run {
		run.ID, run.Started, run.Command, run.Labels, run.Environment, run.Status = r.ID, started, r.Command, r.Labels, r.in.environment, model.Running
		return run
	}
	begun := o.Begun
	o.Begun = func(run iotrace.Run) (err error) {
		// The times of its samples count from here, because loading the programs takes a second.
		if started = run.Started; started.IsZero() {
			started = e.Now()
		}
		if r.View != nil {
			for _, lost := range run.Limitations {
				r.View.Note(lost)
			}
		}
		if w, err = store.CreateTrace(r.Parent, cmp.Or(r.Directory, r.ID), e.Now, fill(run)); err != nil {
			return otherResults(err)
		}
		if begun != nil {
			return begun(run)
		}
		return nil
	}
	o.Second = func(end float64, samples []iotrace.Sample) error {
		if r.View != nil {
			r.View.Second(end, o.Request.Seconds, samples)
		}
		return w.Second(samples)
	}
	run, err := r.in.run(ctx, o)
	if w == nil {
		return err
	}
	run = fill(run)
	run.Finished, run.Status = e.Now(), model.Complete
	switch {
	case err != nil:
		run.Status, run.Reason = model.Failed, err.Error()
	case run.Reason != "":
		// Part of the trace ended early, but nothing else failed.
		run.Status = model.Interrupted
	}
	if saveErr := w.Finish(run); saveErr != nil {
		return errors.Join(err, saveErr)
	}
	rec, readErr := w.Recorded()
	if readErr != nil {
		return errors.Join(err, readErr)
	}
	return errors.Join(err, r.Save(rec))
}

// DeviceBelow returns the block device of this machine that a target is on, and refuses a target that is on
// none.
func DeviceBelow(ctx context.Context, e *env.Env, name string) (string, error) {
	t, err := ParseTarget(name)
	if err != nil {
		return "", err
	}
	if t.Cluster != nil {
		return "", model.RefusedError(t.Name+" is in a Kubernetes cluster, but trace observes the machine it runs on",
			"trace it while it is measured: loadline run --trace; or run this on the node, with --pod NAME, or without TARGET")
	}
	if t.Path == "" {
		return "", model.RefusedError(t.Name+" is on no block device of this machine", "run it on the machine whose disk is behind it, without TARGET")
	}
	device, err := trace.Below(t.Path)
	if err != nil || device != "" {
		return device, err
	}
	// A filesystem with its own device number, such as btrfs, needs another way to find its device.
	s, err := volume.Look(ctx, e, t)
	if err != nil {
		return "", err
	}
	if s.Device == "" {
		return "", model.RefusedError(fmt.Sprintf("%s is on no block device of this machine, but on %s", t.Name, s.Filesystem), "trace where its blocks are, or all devices: loadline trace")
	}
	return s.Device, nil
}
