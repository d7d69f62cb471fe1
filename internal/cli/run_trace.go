package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/pgurl"
	"github.com/loadline/loadline/internal/model/safetext"
)

// tracerHelp is appended to the help of --trace by verbs that measure in a cluster.
const tracerHelp = " (in Kubernetes by a pod with the capabilities BPF and PERFMON)"

// registerTrace adds --trace; whose says whose device is traced.
func (f *measureFlags) registerTrace(cmd *cobra.Command, whose string) {
	cmd.Flags().BoolVar(&f.trace, traceFlag, false, "trace "+whose+" during the run, and save the trace with it (see loadline trace)")
}

// setupTrace arranges for the experiment's devices to be traced during the run if --trace is given: on this
// machine, or in separate pods.
func (f *measureFlags) setupTrace(ctx context.Context, e *env.Env, o *options, exp model.Experiment) error {
	if !f.trace {
		return nil
	}
	request, inPods, err := tracedDevices(ctx, e, o, exp, f.inside.on)
	switch {
	case err != nil:
		return err
	case inPods:
		f.tracePods(o, request, exp.Labels)
		return nil
	}
	f.background = func(ctx context.Context, e *env.Env, dir string) (func() error, error) {
		return f.startTrace(ctx, e, trace.Options{Clock: e.Clock, Request: request}, thisMachine(e), runTraceLocation(dir, exp.Labels))
	}
	return nil
}

// tracedDevices returns what to trace during the run of an experiment, and refuses before any I/O what
// cannot be traced. inPods is true if that is in a cluster; inJob says that a Job there measures.
func tracedDevices(ctx context.Context, e *env.Env, o *options, exp model.Experiment, inJob bool) (request iotrace.Request, inPods bool, err error) {
	targets := []string{exp.Target}
	if exp.Scale != nil {
		targets = append(targets, exp.Scale.Targets...)
	}
	if exp.App != nil && exp.App.Log != "" {
		targets = append(targets, exp.App.Log)
	}
	switch {
	case inJob:
		return request, false, model.RefusedError("--trace is saved by the program that measures, and with --in-cluster that is a Job's", "leave one of the two out: without --in-cluster, pods are traced as well")
	case session.Paired(exp):
		return request, false, model.RefusedError("--trace works with one target, but a second is measured as well", "leave --trace out, or run loadline trace in another terminal")
	case len(o.places.Hosts) > 0:
		return request, false, model.RefusedError("--trace observes this machine, but --hosts measures elsewhere", "leave one of them out")
	}
	request.Target = strings.Join(targets, " ")
	in, err := clusterTargets("--trace", targets)
	if err != nil {
		return request, false, err
	}
	for _, t := range in {
		if err := o.places.TryTracing(ctx, e, t); err != nil {
			return request, true, err
		}
	}
	if len(in) > 0 {
		return request, true, nil
	}
	for _, target := range targets {
		if err := addTracedDevice(ctx, e, o, &request, target); err != nil {
			return request, false, err
		}
	}
	return request, false, nil
}

// runTraceLocation returns where the trace of a run is saved, in the run's directory.
func runTraceLocation(dir string, labels model.Labels) traceLocation {
	return traceLocation{parent: dir, directory: store.TraceDir, id: filepath.Base(dir) + "-" + store.TraceDir, labels: labels}
}

// addTracedDevice adds the device below a target to those of a request, once.
func addTracedDevice(ctx context.Context, e *env.Env, o *options, request *iotrace.Request, target string) error {
	if pgurl.Is(target) {
		return model.RefusedError("--trace observes the device of a local directory, but Loadline does not know where an existing server keeps its data",
			"leave --trace out, or run loadline trace DIR on the server's machine at the same time, with DIR the server's data directory")
	}
	file := target
	if _, err := os.Stat(target); err != nil && o.places.Create {
		file = filepath.Dir(target)
	}
	device, err := underlyingDevice(ctx, e, file)
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

// startTrace returns once the trace has started. The function that it returns ends the trace and
// reports where it is saved.
func (f *measureFlags) startTrace(ctx context.Context, e *env.Env, o trace.Options, where tracedMachine, to traceLocation) (func() error, error) {
	ctx, cancel := context.WithCancel(ctx)
	begun, ended := make(chan struct{}), make(chan error, 1)
	o.Begun = func(iotrace.Run) error { close(begun); return nil }
	go func() {
		// The terminal is used by the run's progress.
		view := newTraceView(e, true)
		_, err := recordTrace(ctx, e, o, where, to, view)
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
			what := "traced "
			if to.directory == amplification.Directory {
				what = "counted"
			}
			printLine(e.Stderr, "%s next: loadline report %s", what, safetext.ShellWord(filepath.Join(to.parent, to.directory)))
		}
		return err
	}, nil
}
