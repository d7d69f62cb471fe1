package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/loadline/loadline/internal/agent"
	"github.com/loadline/loadline/internal/engine"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/load/fake"
	"github.com/loadline/loadline/internal/load/fio"
	"github.com/loadline/loadline/internal/load/open"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/place/local"
	"github.com/loadline/loadline/internal/volume/nbd"
)

// connect starts a worker on this machine and greets it: in process, or, with
// child, as a process of its own (which is what remote places do).
func connect(ctx context.Context, e *env.Env, runID string, child bool) (*engine.Worker, error) {
	// The worker outlives an interrupt: it is told to stop, answers with what it has,
	// and cleans up when it hears bye.
	ctx = context.WithoutCancel(ctx)
	if child {
		link, err := local.Child(ctx, e, self(e), "agent", "--run-id", runID)
		if err != nil {
			return nil, err
		}
		return engine.Connect(ctx, link)
	}
	return engine.Connect(ctx, local.InProcess(ctx, func(ctx context.Context, in io.Reader, out io.Writer) error {
		return agent.Serve(ctx, in, out, agentOptions(e, runID))
	}))
}

// openable is fio, but for open loops, which fio cannot make.
type openable struct {
	*fio.Driver
	open *open.Driver
}

// Run runs one step by the driver that can.
func (d openable) Run(ctx context.Context, req model.StartRequest, emit func(model.Event)) (model.StepResult, error) {
	if req.Workload.OpenLoop {
		return d.open.Run(ctx, req, emit)
	}
	return d.Driver.Run(ctx, req, emit)
}

// Ceiling asks fio for its own only: an open loop tells how late it was instead.
func (d openable) Ceiling(ctx context.Context, w model.Workload, v model.Volume, t time.Duration) (float64, error) {
	if w.OpenLoop {
		return 0, nil
	}
	return d.Driver.Ceiling(ctx, w, v, t)
}

// dialNBD connects to an export and hands the socket over.
func dialNBD(ctx context.Context, uri string) (*os.File, error) {
	conn, err := nbd.Dial(ctx, uri)
	if err != nil {
		return nil, err
	}
	return conn.HandOver()
}

// self is the program that runs, for starting it again.
func self(e *env.Env) string {
	name, err := e.LookPath("/proc/self/exe")
	if err != nil {
		name = "loadline"
	}
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		name = resolved
	}
	return name
}

// agentOptions wires a worker's drivers.
func agentOptions(e *env.Env, runID string) agent.Options {
	real, numbers := openable{fio.New(e), &open.Driver{Dial: dialNBD}}, &fake.Driver{}
	return agent.Options{
		Env: e, Version: Version, RunID: runID,
		Driver: func(kind model.TargetKind) agent.Driver {
			if kind == model.Fake {
				return numbers
			}
			return real
		},
	}
}
