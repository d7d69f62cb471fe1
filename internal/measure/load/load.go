// Package load defines what a load tool is: something that runs a workload on a volume and reports
// every second what it did. Its assumptions: there is one contract, and package loadtest checks every
// tool against it; where tools differ in what they can do, a field says so, and callers do not find
// out by trying. The tools are in the packages below this one, and package worker lists them.
package load

import (
	"context"
	"os"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/remote"
)

// Driver runs workloads. It is used by one goroutine at a time. Errors of class Refused mean that
// nothing was written.
type Driver interface {
	// Version returns the tool's version, or an error that says why the tool cannot be used.
	Version(ctx context.Context) (string, error)
	// Run runs one step. It calls begin once, when everything but the I/O is ready; begin returns
	// when the step is to begin, which is at req.At if that is set, and sample times count from
	// then. A tool that takes a while to start does so before it calls begin: fio takes 0.15 s of a
	// core, so with fifty of them on two cores the last would otherwise begin seconds after the
	// first.
	//
	// While the step runs, Run emits a sample for each second after the ramp (End counts from the
	// start of the step, ramp included) and whatever the tool prints. If a step fails, its result
	// has an Error and keeps the samples taken so far; if ctx is cancelled, the Error is
	// model.StoppedStep. An error is returned only if the step could not be attempted at all. When
	// Run returns, no process and no file of the tool is left.
	Run(ctx context.Context, req model.StartRequest, begin func(), emit func(model.Event)) (model.StepResult, error)
	// Ceiling measures for about d how many I/Os per second the tool itself can generate for a
	// workload, without storage; known is false if that is meaningless for the tool.
	Ceiling(ctx context.Context, w model.Workload, v model.Volume, d time.Duration) (rate float64, known bool, err error)
}

// BeginNow is the begin function of a step that does not wait for others.
func BeginNow() {}

// Filler prepares volumes for measurement.
type Filler interface {
	// Engines lists the I/O engines that work on the volume, best first.
	Engines(ctx context.Context, v model.Volume) ([]string, error)
	// Fill writes the whole volume sequentially with incompressible data.
	Fill(ctx context.Context, v model.Volume, limit time.Duration, progress func(model.Progress)) (written int64, err error)
	// ReadBack reads what Fill wrote and counts the bytes that differ. Its method is "none", with a
	// reason, where Fill relied on the filesystem, which shows which blocks were written.
	ReadBack(ctx context.Context, v model.Volume, progress func(model.Progress)) (model.Proof, error)
	// Bandwidth measures sequential bytes/s for about d.
	Bandwidth(ctx context.Context, v model.Volume, write bool, d time.Duration) (float64, error)
}

// Tool is a driver together with its optional capabilities.
type Tool struct {
	// Name is the tool's key in the versions of a run.
	Name string
	// Serves reports whether the tool can run the workload on that kind of target.
	Serves func(kind model.TargetKind, w model.Workload) bool
	Driver Driver
	// Filler is nil for a tool that measures what another tool has prepared.
	Filler Filler
	// Assume sets the tool's version without running the tool; nil if asking the tool costs nothing.
	Assume func(version string)
	// Application is set if the tool loads an application, which prepares itself, through the
	// application's own clients; nil for a tool that measures volumes.
	Application Application
	// Remote is set if an application's load tool can run on another machine than the application.
	Remote Remote
	// Virtual is set if the tool simulates both the storage and its time; nil for real storage.
	Virtual *Virtual
}

// Application is what is loaded instead of a volume, such as a database. It runs in a directory
// that the worker creates for it and removes afterwards.
type Application interface {
	// Examine checks, without creating anything, whether the application can be measured here, and
	// fills in what it found: tools, engines, settings.
	Examine(ctx context.Context, req model.ProbeRequest, found *model.ProbeResult) error
	// Ready starts the application in the directory, which it does not share, and fills it. The
	// directory is held open, because its name may come to refer to a different one.
	Ready(ctx context.Context, workDir *os.Root, req model.PrepareRequest, progress func(model.Progress)) (*model.AppState, error)
	// Leave stops what Ready has started. It may be called at any time, and more than once.
	Leave() error
}

// Client runs an application's load tool on another machine than the application's.
type Client interface {
	// Load carries out one request there and passes on the events that precede its answer. When ctx
	// ends, the request is stopped and answers with what it has.
	Load(ctx context.Context, req remote.Request, on func(model.Event)) (*remote.Result, error)
}

// Remote is an application whose load tool can run on another machine.
type Remote interface {
	// LoadFrom makes the load come from a client, starting with the next Ready.
	LoadFrom(c Client)
	// LoadFor is the client's side: it carries out a request in the directory, which it does not share.
	LoadFor(ctx context.Context, workDir *os.Root, req remote.Request, emit func(model.Event)) (*remote.Result, error)
}

// Virtual is simulated storage: there is no machine behind it.
type Virtual struct {
	// Capacity returns the capacity of a target in bytes; the error is Refused if it cannot be simulated.
	Capacity func(t model.Target) (int64, error)
	// Rest lets the given number of seconds pass with the storage idle.
	Rest func(seconds float64)
	// Filled returns how many seconds the last prefill took; 0 if that is not simulated.
	Filled func() float64
}

// Tools are the tools of one worker, the most specific first.
type Tools []Tool

// For returns the tool that runs a workload on a kind of target.
func (list Tools) For(kind model.TargetKind, w model.Workload) (Tool, error) {
	for _, t := range list {
		if t.Serves(kind, w) {
			return t, nil
		}
	}
	return Tool{}, unserved(string(kind))
}

// Filler returns the tool that prepares volumes of a kind of target.
func (list Tools) Filler(kind model.TargetKind) (Tool, error) {
	for _, t := range list {
		if t.Filler != nil && t.Serves(kind, model.Workload{}) {
			return t, nil
		}
	}
	return Tool{}, unserved(string(kind))
}

func unserved(kind string) error {
	return model.RefusedError("this worker has no load tool for a target of the kind "+kind, "use the same version of loadline at both ends")
}
