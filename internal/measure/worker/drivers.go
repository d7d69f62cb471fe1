package worker

import (
	"context"
	"os"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/agent"
	"github.com/loadline/loadline/internal/measure/load/fake"
	"github.com/loadline/loadline/internal/measure/load/fio"
	"github.com/loadline/loadline/internal/measure/load/open"
	"github.com/loadline/loadline/internal/measure/volume/nbd"
	"github.com/loadline/loadline/internal/model"
)

// Options are those of a worker with all its drivers; runID names its own files.
func Options(e *env.Env, runID string) agent.Options {
	real, numbers := openable{fio.New(e), &open.Driver{Dial: dialNBD, Clock: e.Clock}}, &fake.Driver{Clock: e.Clock}
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

// RunGated is Run at a time that others begin as well.
func (d openable) RunGated(ctx context.Context, req model.StartRequest, hold func(), emit func(model.Event)) (model.StepResult, error) {
	if req.Workload.OpenLoop {
		hold()
		return d.open.Run(ctx, req, emit)
	}
	return d.Driver.RunGated(ctx, req, hold, emit)
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
