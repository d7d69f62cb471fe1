package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/proof"
)

// application returns the tool that loads the application of a target; its Application is nil if the
// target is not one.
func (w *worker) application(t model.Target) (tool load.Tool, err error) {
	if !t.Kind.Application() {
		return tool, nil
	}
	return w.Tools.For(t.Kind, model.Workload{})
}

// probeApplication probes the storage below an application, and checks whether it can run here.
func (w *worker) probeApplication(ctx context.Context, req model.ProbeRequest, app load.Application) (*model.ProbeResult, error) {
	res := &model.ProbeResult{Environment: observe.Machine(w.Env), Tools: map[string]string{}, Boot: observe.Boot(), Cgroup: observe.Cgroup()}
	below := req.Target
	below.Kind = model.Directory
	if exists(req.Target) {
		if err := app.Examine(ctx, req, res); err != nil {
			return nil, err
		}
		if res.App.Elsewhere() {
			// The server does not use this machine's disks.
			w.device = ""
			return res, nil
		}
		below.Path = res.App.Server.Data
		storage, err := volume.Look(ctx, w.Env, below)
		if err != nil {
			return nil, err
		}
		res.Environment.Storage, w.device = storage, storage.Device
		res.Capacity = volume.Capacity(storage, below, true)
		return res, nil
	}
	look := volume.Probe
	if req.LookOnly {
		look = volume.Look
	}
	storage, err := look(ctx, w.Env, below)
	if err != nil {
		return nil, err
	}
	res.Environment.Storage = storage
	res.Capacity = volume.Capacity(storage, below, true)
	w.device = storage.Device
	if req.Log != nil {
		if err := w.probeLog(ctx, req, res); err != nil {
			return nil, err
		}
	}
	return res, app.Examine(ctx, req, res)
}

// exists reports whether an application's target is an existing server: nothing is started, and the load
// tool's files on this machine are in a directory for temporary files.
func exists(t model.Target) bool { return t.Path == "" && t.URI != "" }

// readyApplication creates a working directory, and prepares the application in it.
func (w *worker) readyApplication(ctx context.Context, id int, req model.PrepareRequest, tool load.Tool) (*model.Preparation, error) {
	if w.workDir != nil {
		return nil, model.BrokenError("the worker was told to make an application ready, and has one already", "")
	}
	in := req.Volume.Target.Path
	if exists(req.Volume.Target) {
		in = env.TempDir()
	}
	place, err := volume.MakeWorkDir(in, w.RunID)
	if err != nil {
		return nil, err
	}
	app := tool.Application
	w.workDir, w.app = place, app
	begin := w.Env.Now()
	if err := errors.Join(w.makeLogDir(&req), w.attach(tool, req.App)); err != nil {
		return nil, errors.Join(err, w.leaveApplication())
	}
	state, err := app.Ready(ctx, place.Root(), req, func(p model.Progress) { w.emit(model.Event{ID: id, Progress: &p}) })
	if err != nil {
		return nil, errors.Join(err, w.leaveApplication())
	}
	return &model.Preparation{Path: place.Path(), Written: state.Data, Seconds: w.Env.Now().Sub(begin).Seconds(), App: state,
		Proof: model.Proof{Method: proof.None, Detail: fmt.Sprintf("%s wrote its data itself", state.Name)}}, nil
}

// leaveApplication ends the application and removes its working directory.
func (w *worker) leaveApplication() error {
	if w.workDir == nil {
		return nil
	}
	err := errors.Join(w.app.Leave(), w.workDir.Close(), w.logDir.Close())
	w.workDir, w.logDir, w.app = nil, nil, nil
	return err
}
