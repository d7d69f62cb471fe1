// Package load says what a load tool is: something that carries out a workload on a volume
// and tells every second what it did. Its opinion: there is one contract, and package
// loadtest asks every tool whether it keeps it; what one tool has and another lacks is a
// field that says so, and is not found out by trying. The tools are below this package, and
// package worker lists them.
package load

import (
	"context"
	"os"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/remote"
)

// Driver carries out workloads. It is used by one goroutine at a time. Errors of class
// Refused mean that nothing was written.
type Driver interface {
	// Version names the tool's version, or says why the tool cannot be used.
	Version(ctx context.Context) (string, error)
	// Run does one step. It calls begin once, when only the I/O is missing; begin returns
	// when the step is to begin, which is at req.At if that is set, and samples count from
	// then. A tool that takes a while to start (0.15 s of a core for fio, so that of fifty
	// on two cores the last would begin seconds after the first) starts before it calls.
	//
	// It emits a sample for each second behind the ramp (End counts from the step's begin,
	// ramp included), and what the tool printed, while it works. A step that did not go well
	// has an Error in its result, and keeps the samples that came before; one that was called
	// off by ctx has model.StoppedStep. An error is for what stops a step from being tried at
	// all. When Run returns, no process and no file of the tool's is left.
	Run(ctx context.Context, req model.StartRequest, begin func(), emit func(model.Event)) (model.StepResult, error)
	// Ceiling measures for about d how many I/Os per second the tool itself makes of a
	// workload, on no storage; known is false where that has no meaning.
	Ceiling(ctx context.Context, w model.Workload, v model.Volume, d time.Duration) (rate float64, known bool, err error)
}

// AtOnce is the begin of a step that waits for nobody.
func AtOnce() {}

// Filler makes volumes ready to be measured.
type Filler interface {
	// Engines lists the I/O engines that work on the volume, best first.
	Engines(ctx context.Context, v model.Volume) ([]string, error)
	// Fill writes the whole volume sequentially with data that do not compress.
	Fill(ctx context.Context, v model.Volume, limit time.Duration, progress func(model.Progress)) (written int64, err error)
	// ReadBack reads what Fill wrote and counts what is not as written. Its method is
	// "none", with a reason, where Fill left that to the filesystem, which shows what was written.
	ReadBack(ctx context.Context, v model.Volume, progress func(model.Progress)) (model.Proof, error)
	// Bandwidth measures sequential bytes/s for about d.
	Bandwidth(ctx context.Context, v model.Volume, write bool, d time.Duration) (float64, error)
}

// Tool is a driver, and what it can do beside driving.
type Tool struct {
	// Name is what the versions of a run call it.
	Name string
	// Serves reports whether the tool carries out the workload on that kind of target.
	Serves func(kind model.TargetKind, w model.Workload) bool
	Driver Driver
	// Filler is nil for a tool that measures what another has made ready.
	Filler Filler
	// Assume takes somebody's word for the tool's version; nil where asking costs nothing.
	Assume func(version string)
	// Application is set where the tool loads an application through its own clients, which
	// makes itself ready; nil for a tool that measures volumes.
	Application Application
	// Virtual is set where the storage and its time are the tool's own; nil for what exists.
	Virtual *Virtual
}

// Application is what is loaded in the place of a volume: a database, say. It lives in a
// directory that the worker makes for it and removes after it.
type Application interface {
	// Examine looks, without making anything, whether the application can be measured here,
	// and fills in what it found: tools, engines, settings.
	Examine(ctx context.Context, req model.ProbeRequest, found *model.ProbeResult) error
	// Ready starts the application in the directory, which is its own, and fills it. The
	// directory is held open: its name may come to mean another one.
	Ready(ctx context.Context, workDir *os.Root, req model.PrepareRequest, progress func(model.Progress)) (*model.AppState, error)
	// Leave ends what Ready has started. It may be called at any time and twice.
	Leave() error
}

// Client runs an application's load tool somewhere else than where the application is.
type Client interface {
	// Load carries out one request there, and hands on the events that come before its answer.
	// When ctx ends the request is stopped, and answers with what it has.
	Load(ctx context.Context, req remote.Request, on func(model.Event)) (*remote.Result, error)
}

// Parted is an application whose load tool can run on another machine.
type Parted interface {
	// LoadFrom has the load come from a client, from the next Ready on.
	LoadFrom(c Client)
	// LoadFor is the client's end: it carries out a request in the directory, which is its own.
	LoadFor(ctx context.Context, workDir *os.Root, req remote.Request, emit func(model.Event)) (*remote.Result, error)
}

// Virtual is storage that is made of numbers: no machine stands behind it.
type Virtual struct {
	// Capacity of a target in bytes; the error is Refused for one that cannot be played.
	Capacity func(t model.Target) (int64, error)
	// Rest lets seconds pass in which nobody uses the storage.
	Rest func(seconds float64)
}

// Tools are those of one worker, the most particular first.
type Tools []Tool

// For is the tool that carries out a workload on a kind of target.
func (list Tools) For(kind model.TargetKind, w model.Workload) (Tool, error) {
	for _, t := range list {
		if t.Serves(kind, w) {
			return t, nil
		}
	}
	return Tool{}, unserved(string(kind))
}

// Filler is the tool that makes volumes of a kind of target ready.
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
