package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/pgurl"
	"github.com/loadline/loadline/internal/model/safetext"
)

// traceDir is the folder of a run that holds the trace made beside it.
const traceDir = "trace"

// registerTrace adds --trace; whose says of what the device is.
func (f *measuring) registerTrace(cmd *cobra.Command, whose string) {
	cmd.Flags().BoolVar(&f.trace, "trace", false, "trace "+whose+" meanwhile, and save that with the run (see loadline trace)")
}

// traceBeside, where --trace asks for it, has what the experiment measures traced meanwhile.
func (f *measuring) traceBeside(ctx context.Context, e *env.Env, o *options, exp model.Experiment) (err error) {
	if f.trace {
		f.meanwhile, err = f.traceOf(ctx, e, o, exp)
	}
	return err
}

// traceOf finds what a trace beside the run of an experiment looks at, and refuses before
// any I/O what cannot be traced. What it returns begins the trace.
func (f *measuring) traceOf(ctx context.Context, e *env.Env, o *options, exp model.Experiment) (func(context.Context, *env.Env, string) (func() error, error), error) {
	targets := []string{exp.Target}
	if exp.Scale != nil {
		targets = append(targets, exp.Scale.Targets...)
	}
	switch {
	case f.inside.on:
		return nil, model.RefusedError("--trace looks at this machine, and the Job runs elsewhere", "leave one of the two out")
	case session.Paired(exp):
		return nil, model.RefusedError("--trace goes beside one target, and a second is measured as well", "leave --trace out, or run loadline trace in another terminal")
	case len(o.places.Hosts) > 0:
		return nil, model.RefusedError("--trace looks at this machine, and --hosts measures elsewhere", "leave one of them out")
	}
	request := iotrace.Request{Target: strings.Join(targets, " ")}
	for _, target := range targets {
		if err := addTraced(ctx, e, o, &request, target); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, e *env.Env, dir string) (func() error, error) {
		return f.beginTrace(ctx, e, trace.Options{Clock: e.Clock, Request: request}, place{parent: dir, directory: traceDir, id: filepath.Base(dir) + "-" + traceDir, labels: exp.Labels})
	}, nil
}

// addTraced adds the device that a target stands on to those of a request, once.
func addTraced(ctx context.Context, e *env.Env, o *options, request *iotrace.Request, target string) error {
	if pgurl.Is(target) {
		return model.RefusedError("--trace looks at the device of a directory of this machine, and Loadline does not know where an existing server keeps its data",
			"leave --trace out, or run loadline trace DIR on the server's machine at the same time, with DIR the server's data directory")
	}
	if t, err := session.ParseTarget(target); err == nil && t.Cluster != nil {
		return model.RefusedError(fmt.Sprintf("--trace looks at this machine, and the pod that measures %s is on a node of its cluster", t.Name),
			"leave --trace out, or trace on that node meanwhile: loadline trace --pod NAME")
	}
	file := target
	if _, err := os.Stat(target); err != nil && o.places.Create {
		file = filepath.Dir(target)
	}
	device, err := deviceBelow(ctx, e, file)
	if err != nil {
		return err
	}
	var one iotrace.Request
	if err := trace.Resolve(&one, e.Clock, device, ""); err != nil {
		return err
	}
	for _, name := range one.Devices {
		if !slices.Contains(request.Devices, name) {
			request.Devices = append(request.Devices, name)
		}
	}
	return nil
}

// beginTrace returns when the trace has begun; what it returns ends it, and says where it
// is saved.
func (f *measuring) beginTrace(ctx context.Context, e *env.Env, o trace.Options, to place) (func() error, error) {
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
