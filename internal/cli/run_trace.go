package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/safetext"
)

// traceDir is the folder of a run that holds the trace made beside it.
const traceDir = "trace"

// traceOf finds what a trace beside the run of an experiment looks at, and refuses before
// any I/O what cannot be traced. What it returns begins the trace.
func (f *runFlags) traceOf(ctx context.Context, e *env.Env, exp model.Experiment) (func(context.Context, *env.Env, string) (func() error, error), error) {
	target := exp.Target
	switch {
	case f.inside.on:
		return nil, model.RefusedError("--trace looks at this machine, and the Job runs elsewhere", "leave one of the two out")
	case session.Paired(exp):
		return nil, model.RefusedError("--trace goes beside one target, and a second is measured as well", "leave --trace out, or run loadline trace in another terminal")
	case exp.Scale != nil:
		return nil, model.RefusedError("--trace goes beside one target, and this loads several volumes", "run loadline trace in another terminal")
	case len(f.options.places.Hosts) > 0:
		return nil, model.RefusedError("--trace looks at this machine, and --hosts measures elsewhere", "leave one of them out")
	}
	file := target
	if _, err := os.Stat(target); err != nil && f.options.places.Create {
		file = filepath.Dir(target)
	}
	device, err := deviceBelow(ctx, e, file)
	if err != nil {
		return nil, err
	}
	o := trace.Options{Clock: e.Clock, Request: iotrace.Request{Target: target}}
	if err := trace.Resolve(&o.Request, e.Clock, device, ""); err != nil {
		return nil, err
	}
	return func(ctx context.Context, e *env.Env, dir string) (func() error, error) {
		return f.beginTrace(ctx, e, o, place{parent: dir, directory: traceDir, id: filepath.Base(dir) + "-" + traceDir, labels: exp.Labels})
	}, nil
}

// beginTrace returns when the trace has begun; what it returns ends it, and says where it
// is saved.
func (f *runFlags) beginTrace(ctx context.Context, e *env.Env, o trace.Options, to place) (func() error, error) {
	ctx, cancel := context.WithCancel(ctx)
	begun, ended := make(chan struct{}), make(chan error, 1)
	o.Begun = func(iotrace.Run) error { close(begun); return nil }
	go func() {
		// The run's progress has the terminal.
		view := newTraceView(e, true)
		_, err := recordTrace(ctx, e, o, to, view)
		ended <- err
	}()
	select {
	case <-begun:
	case err := <-ended:
		cancel()
		if err == nil {
			err = errors.New("the trace ended before it began")
		}
		return nil, err
	}
	return func() error {
		cancel()
		err := <-ended
		if !f.quiet {
			sayLine(e.Stderr, "traced  next: loadline report %s", safetext.ShellWord(filepath.Join(to.parent, traceDir)))
		}
		return err
	}, nil
}
