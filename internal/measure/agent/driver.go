package agent

import (
	"context"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// Driver starts load on a volume. Package load/fio and package load/fake are drivers.
// Errors of class Refused mean that nothing was written.
type Driver interface {
	// Version names the tool's version, or says why the tool cannot be used.
	Version(ctx context.Context) (string, error)
	// Engines lists the I/O engines that work on the volume, best first.
	Engines(ctx context.Context, v model.Volume) ([]string, error)
	// Run does one step. It emits samples (End counted from the step's begin) and raw output
	// while it works. A step that did not go well has an Error in its result.
	Run(ctx context.Context, req model.StartRequest, emit func(model.Event)) (model.StepResult, error)
	// Fill writes the whole volume sequentially with data that do not compress.
	Fill(ctx context.Context, v model.Volume, limit time.Duration, progress func(model.Progress)) (written int64, err error)
	// ReadBack reads what Fill wrote and counts what is not as written.
	ReadBack(ctx context.Context, v model.Volume, progress func(model.Progress)) (model.Proof, error)
	// Bandwidth measures sequential bytes/s for about d.
	Bandwidth(ctx context.Context, v model.Volume, write bool, d time.Duration) (float64, error)
	// Ceiling measures for about d how many I/Os per second the load generator makes
	// on no storage; 0 where that has no meaning.
	Ceiling(ctx context.Context, w model.Workload, v model.Volume, d time.Duration) (float64, error)
}

// GatedStarter is a Driver whose tool takes a while to start: 0.15 s of a core for fio, so that
// of fifty on two cores the last would begin seconds after the first.
type GatedStarter interface {
	Driver
	// RunGated is Run, but starts the tool at once and calls hold when only the I/O is
	// missing. hold returns when the step is to begin; samples count from then.
	RunGated(ctx context.Context, req model.StartRequest, hold func(), emit func(model.Event)) (model.StepResult, error)
}

// VersionHinter is a Driver that takes somebody's word for the version of its tool, which it
// has to start to ask.
type VersionHinter interface {
	Driver
	Assume(version string)
}
