package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/live"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/results"
	"github.com/loadline/loadline/internal/show/screen"
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
	label                          flags.Label
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

Exit codes: 0 traced, even if ended by an interrupt; 1 failed; 2 refused before
anything was traced; 5 more than 5 % of a device's I/Os were not seen.`,
		Example: `  loadline trace /var/lib/postgresql --time 30s
  loadline trace --device sda --pid 4711
  loadline trace --container 3f4a1c9e2b7d --show who,latency
  loadline trace --time 0`,
		Args: usage.AtMost("one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.trace(cmd.Context(), e, args) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.device, "device", "", "trace this block `DEVICE`: sda, /dev/sda1")
	flags.CountVar(fl, flags.Count{Name: "pid", To: &f.pid, Least: 1, Most: flags.MostPID, Such: 4711}, 0, "only the I/O of this process, with its threads")
	fl.StringVar(&f.container, "container", "", "only that of the container whose ID begins with this")
	fl.StringVar(&f.pod, "pod", "", "only that of this pod on this node: its UID, name or namespace/name")
	fl.StringVar(&f.cgroup, "cgroup", "", "only that of the cgroup with this `PATH` and those below it")
	fl.StringVar(&f.time, "time", "10s", "how long; 0 means until interrupted")
	fl.StringVar(&f.method, "method", autoMethod, "how: bpf, perf, counters, or auto for the first of these that is possible")
	flags.Verify(fl, "method", checkMethod)
	flags.WordsVar(fl, &f.show, "show", nil, showNames(), "what to print at the end: who, latency, histogram, iostat, totals (default: all)")
	fl.StringVar(&f.results, "results", defaultResults, "create the trace's directory in this `DIR`")
	registerOutput(e, cmd, &f.output, traceForms...)
	f.label.Register(cmd)
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

// checkMethod refuses an unknown --method.
func checkMethod(name string) error {
	return flags.OneOf("--method", name, []string{autoMethod, string(iotrace.ByBPF), string(iotrace.ByPerf), string(iotrace.ByCounters)})
}

// parts returns what --show names.
func (f *traceFlags) parts() (parts []text.TracePart) {
	for _, name := range f.show {
		parts = append(parts, text.TracePart(name))
	}
	return parts
}

func (f *traceFlags) trace(ctx context.Context, e *env.Env, args []string) error {
	labels, err := f.label.Labels()
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
	if printErr := printTrace(e, done, &f.output, f.parts()); printErr != nil || err != nil {
		return errors.Join(err, printErr)
	}
	return exitError(findingsCode(done.Findings), nil)
}

// options checks the flags and finds the devices that they name.
func (f *traceFlags) options(ctx context.Context, e *env.Env, args []string) (trace.Options, error) {
	o := trace.Options{Clock: e.Clock, Method: iotrace.Method(f.method), Request: iotrace.Request{PID: f.pid, Container: f.container, Pod: f.pod}}
	if f.method == autoMethod {
		o.Method = ""
	} else if f.method != "" {
		if err := checkMethod(f.method); err != nil {
			return o, err
		}
	}
	if f.time != "0" {
		seconds, err := flags.ParseSpan("--time", f.time)
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
		if device, err = session.DeviceBelow(ctx, e, args[0]); err != nil {
			return o, err
		}
		o.Request.Target = args[0]
	}
	return o, trace.Resolve(&o.Request, e.Clock, device, f.cgroup)
}

// record traces, and saves each second. It returns the report even if something could
// not be saved; nil if nothing was traced.
func (f *traceFlags) record(ctx context.Context, e *env.Env, o trace.Options, labels model.Labels) (done *iotrace.Report, err error) {
	name := o.Request.Target
	if name == "" {
		name = strings.Join(o.Request.Devices, " ")
	}
	view := live.NewTrace(e.Stderr, screen.Live(e, f.quiet), results.TraceRows)
	defer view.Close()
	err = session.RecordTrace(ctx, e, session.Recording{
		Trace: o, Parent: f.results, ID: store.Name(e.Now(), name) + "-trace", Labels: labels, Command: recordedCommand(e), View: view,
		Save: func(rec *store.RecordedTrace) (err error) {
			view.Close()
			done, err = results.FinishTrace(rec)
			return err
		},
	})
	return done, err
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
		if t.Directory == "" {
			return output.emit(e, &format.Documents{Traces: []*iotrace.Report{t}}) // it could not be saved
		}
		return output.emitSaved(e, nil, t.Directory)
	}
	return text.RenderTrace(e.Stdout, t, text.TraceOptions{Options: screen.Text(e.Output), Parts: parts})
}
