package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// traceFlags are read as text and checked together.
type traceFlags struct {
	device, container, pod, cgroup string
	pid                            int
	time, method                   string
	output                         outputFlags
	show                           []string
	results                        string
	quiet                          bool
	label                          labelFlag
}

func newTrace(e *env.Env) *cobra.Command {
	var f traceFlags
	cmd := &cobra.Command{
		Use:   "trace [TARGET]",
		Short: "Show which processes do how much I/O to which block device, and how long it takes",
		Long: `Observes the block layer of this machine: I/Os, sizes and latencies by device, operation,
process and cgroup, each second, without slowing them down by more than a microsecond or
two. It makes no load and changes nothing: start the program to be observed yourself.

TARGET (a directory, a file or a block device) selects the device that it is on; without
TARGET and --device, all devices are traced. On a terminal, a table shows the last second.
At the end, it prints rows for the whole time, latencies by device and operation,
histograms, iostat's columns and blktrace's totals, and how many of the I/Os counted by the
device itself were not seen. --show selects among these:
  ` + strings.Join(showNames(), ", ") + `

It needs root, or CAP_BPF and CAP_PERFMON, and Linux 5.5 or newer with its type
information (BTF). Without CAP_BPF or BTF it uses perf events, which need CAP_PERFMON and
the tracing filesystem, or else shows the device's own counters, which have neither
percentiles nor processes. The report says which method was used and what is lost.

It observes only this machine: for a pod, run it on the pod's node, or measure with
--trace, which run, scale and app postgres also have for Kubernetes (docs/trace.md).

Exit codes: 0 traced, also if ended by an interrupt; 1 failed; 2 refused before
anything was traced; 5 more than 5 % of a device's I/Os were not seen.`,
		Example: `  loadline trace /var/lib/postgresql --time 30s
  loadline trace --device sda --pid 4711
  loadline trace --container 3f4a1c9e2b7d --show who,latency
  loadline trace --time 0`,
		Args: atMost("one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.trace(cmd.Context(), e, args) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.device, "device", "", "trace this block `DEVICE`: sda, /dev/sda1")
	countVar(fl, count{name: "pid", to: &f.pid, least: 1, most: mostPID, such: 4711}, 0, "only the I/O of this process, with its threads")
	fl.StringVar(&f.container, "container", "", "only that of the container whose ID begins with this")
	fl.StringVar(&f.pod, "pod", "", "only that of this pod on this node: its UID, name or namespace/name")
	fl.StringVar(&f.cgroup, "cgroup", "", "only that of the cgroup with this `PATH` and those below it")
	fl.StringVar(&f.time, "time", "10s", "how long; 0 means until interrupted")
	fl.StringVar(&f.method, "method", autoMethod, "how: bpf, perf, counters, or auto for the first of these that is possible")
	fl.StringSliceVar(&f.show, "show", nil, "what to print at the end: who, latency, histogram, iostat, totals (default: all)")
	fl.StringVar(&f.results, "results", defaultResults, "create the trace's directory in this `DIR`")
	registerOutput(e, cmd, &f.output, traceForms...)
	f.label.register(cmd)
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no live table")
	return cmd
}

// autoMethod selects the available method that sees the most.
const autoMethod = "auto"

func showNames() (names []string) {
	for _, part := range text.TraceParts {
		names = append(names, string(part))
	}
	return names
}

// parts checks --show.
func (f *traceFlags) parts() (parts []text.TracePart, err error) {
	for _, name := range f.show {
		if err := oneOf("--show", name, showNames()); err != nil {
			return nil, err
		}
		parts = append(parts, text.TracePart(name))
	}
	return parts, nil
}

func (f *traceFlags) trace(ctx context.Context, e *env.Env, args []string) error {
	parts, err := f.parts()
	if err != nil {
		return err
	}
	labels, err := f.label.labels()
	if err != nil {
		return err
	}
	o, err := f.options(ctx, e, args)
	if err != nil {
		return err
	}
	done, err := f.record(ctx, e, o, labels)
	if done == nil {
		return err
	}
	if printErr := printTrace(e, done, &f.output, parts); printErr != nil || err != nil {
		return errors.Join(err, printErr)
	}
	return exitError(traceCode(done), nil)
}

// options checks the flags and finds the devices that they name.
func (f *traceFlags) options(ctx context.Context, e *env.Env, args []string) (trace.Options, error) {
	o := trace.Options{Clock: e.Clock, Method: iotrace.Method(f.method), Request: iotrace.Request{PID: f.pid, Container: f.container, Pod: f.pod}}
	if f.method == autoMethod {
		o.Method = ""
	} else if f.method != "" {
		if err := oneOf("--method", f.method, []string{autoMethod, string(iotrace.ByBPF), string(iotrace.ByPerf), string(iotrace.ByCounters)}); err != nil {
			return o, err
		}
	}
	if f.time != "0" {
		seconds, err := parseSpan("--time", f.time)
		if err != nil {
			return o, err
		}
		o.Request.Seconds = seconds
	}
	if f.device != "" && len(args) > 0 {
		return o, model.RefusedError("both TARGET and --device name a device", "leave one of them out")
	}
	device := f.device
	if len(args) > 0 {
		var err error
		if device, err = underlyingDevice(ctx, e, args[0]); err != nil {
			return o, err
		}
		o.Request.Target = args[0]
	}
	return o, trace.Resolve(&o.Request, e.Clock, device, f.cgroup)
}

// underlyingDevice returns the device that a target is on.
func underlyingDevice(ctx context.Context, e *env.Env, name string) (string, error) {
	t, err := session.ParseTarget(name)
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

// record traces, and saves each second. It returns the report even if something could
// not be saved; nil if nothing was traced.
func (f *traceFlags) record(ctx context.Context, e *env.Env, o trace.Options, labels model.Labels) (*iotrace.Report, error) {
	name := o.Request.Target
	if name == "" {
		name = strings.Join(o.Request.Devices, " ")
	}
	view := newTraceView(e, f.quiet)
	defer view.close()
	return recordTrace(ctx, e, o, thisMachine(e), traceLocation{parent: f.results, id: store.Name(e.Now(), name) + "-trace", labels: labels}, view)
}

// traceLocation is where a trace is saved, as parent/directory (if directory is empty, the trace's id is used),
// and with which labels.
type traceLocation struct {
	parent, directory, id string
	labels                model.Labels
}

// tracedMachine is where a trace is made: what traces, and what is known of the machine.
type tracedMachine struct {
	run         func(context.Context, trace.Options) (iotrace.Run, error)
	environment model.Environment
}

// thisMachine returns this machine.
func thisMachine(e *env.Env) tracedMachine {
	return tracedMachine{run: trace.Run, environment: observe.Machine(e)}
}

// recordTrace traces until the time is over or the context ends, and shows and saves the trace.
func recordTrace(ctx context.Context, e *env.Env, o trace.Options, where tracedMachine, to traceLocation, view *traceView) (*iotrace.Report, error) {
	run := iotrace.Run{ID: to.id, Started: e.Now(), Status: model.Running, Command: recordedCommand(e), Labels: to.labels, Environment: where.environment}
	var w *store.TraceWriter
	fill := func(r iotrace.Run) iotrace.Run {
		r.ID, r.Started, r.Command, r.Labels, r.Environment, r.Status = run.ID, run.Started, run.Command, run.Labels, run.Environment, run.Status
		return r
	}
	begun := o.Begun
	o.Begun = func(r iotrace.Run) (err error) {
		// The times of its samples count from here, because loading the programs takes a second.
		if run.Started = r.Started; run.Started.IsZero() {
			run.Started = e.Now()
		}
		for _, lost := range r.Limitations {
			view.note(lost)
		}
		if w, err = store.CreateTrace(to.parent, cmp.Or(to.directory, to.id), e.Now, fill(r)); err != nil {
			return model.RefusedError(err.Error(), "choose another folder with --results DIR")
		}
		if begun != nil {
			return begun(r)
		}
		return nil
	}
	o.Second = func(end float64, samples []iotrace.Sample) error {
		view.second(end, o.Request.Seconds, samples)
		return w.Second(samples)
	}
	r, err := where.run(ctx, o)
	view.close()
	if w == nil {
		return nil, err
	}
	r = fill(r)
	r.Finished, r.Status = e.Now(), model.Complete
	switch {
	case err != nil:
		r.Status, r.Reason = model.Failed, err.Error()
	case r.Reason != "":
		// Part of the trace ended early, but nothing else failed.
		r.Status = model.Interrupted
	}
	if saveErr := w.Finish(r); saveErr != nil {
		return nil, errors.Join(err, saveErr)
	}
	done, saveErr := results.FinishTrace(w.Dir())
	return done, errors.Join(err, saveErr)
}

// traceForms are the formats that a trace has.
var traceForms = []string{"text", "json", "html", "markdown", "csv"}

// printTrace prints the report of a trace.
func printTrace(e *env.Env, t *iotrace.Report, output *outputFlags, parts []text.TracePart) error {
	switch output.name() {
	case "json":
		return jsonout.WriteTrace(term.Raw(e.Stdout), t)
	case "text":
	default:
		return output.emitSaved(e, nil, t.Directory)
	}
	return text.RenderTrace(e.Stdout, t, text.TraceOptions{Options: terminalOptions(e.Output), Parts: parts})
}

// traceCode returns 5 if a finding says that the figures cannot be trusted.
func traceCode(t *iotrace.Report) int {
	if slices.ContainsFunc(t.Findings, func(f model.Finding) bool { return f.Severity == model.SeverityInvalid }) {
		return exitInvalid
	}
	return exitOK
}
