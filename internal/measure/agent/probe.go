package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// The bandwidth probe writes at most 1 GiB for two seconds and reads it back for one: enough to choose a
// size, far too little to be a result.
const (
	probeWrite = 2 * time.Second
	probeRead  = 1 * time.Second
	probeSize  = 1 << 30
	// tinySize is enough for trying engines if no bandwidth is asked for.
	tinySize = 1 << 20
)

// probe finds out what the target is and how it can be measured.
func (w *worker) probe(ctx context.Context, id int, req model.ProbeRequest) (res *model.ProbeResult, err error) {
	began := w.Env.Now()
	if tool, err := w.application(req.Target); tool.Application != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return w.probeApplication(ctx, req, tool.Application)
	}
	tool, err := w.Tools.Filler(req.Target.Kind)
	if err != nil {
		return nil, err
	}
	res = &model.ProbeResult{Environment: observe.Machine(w.Env), Tools: map[string]string{}, Boot: observe.Boot(), Cgroup: observe.Cgroup()}
	if w.virtual = tool.Virtual; w.virtual != nil {
		return res, w.probeVirtual(ctx, req, tool, res)
	}
	if known := req.Tools[tool.Name]; known != "" && tool.Assume != nil {
		tool.Assume(known)
	}
	version, err := tool.Driver.Version(ctx)
	if err != nil {
		return nil, err
	}
	res.Tools[tool.Name] = version
	look := volume.Probe
	if req.LookOnly {
		look = volume.Look
	}
	storage, err := look(ctx, w.Env, req.Target)
	if err != nil {
		return nil, err
	}
	v := model.Volume{Target: req.Target, Path: req.Target.Path}
	w.share = req.Share
	if err := w.guard(ctx, &v, req.MayWrite, req.Destroy); err != nil {
		return nil, err
	}
	res.Environment.Storage = storage
	res.Capacity = volume.Capacity(storage, req.Target, req.MayWrite)
	res.Direct = storage.Direct == nil || *storage.Direct
	w.device = storage.Device

	v.Direct, v.Size = res.Direct, min(res.Capacity, probeSize)
	res.MakesFile = volume.MakesFile(req.Target)
	if res.MakesFile && v.Size < tinySize {
		return nil, model.RefusedError(fmt.Sprintf("%s has no room to measure in: %s may be written before it is 95 %% full",
			req.Target.Name, units.FormatSize(res.Capacity)), "free some space, or choose another directory")
	}
	if res.MakesFile && req.LookOnly {
		res.Untried = true
		return res, nil
	}
	if res.MakesFile {
		if !req.Bandwidth {
			v.Size = min(v.Size, tinySize)
		}
		if res.Engines = req.Engines; len(res.Engines) > 0 && !req.Bandwidth {
			return res, nil
		}
		v.Owned = true
		if err := w.create(&v); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, w.cleanup()) }()
	}
	if res.Engines = req.Engines; len(res.Engines) == 0 {
		if res.Engines, err = tool.Filler.Engines(ctx, v); err != nil {
			return nil, err
		}
	}
	if !req.Bandwidth {
		return res, nil
	}
	v.Engine = res.Engines[0]
	// A file of our own has only holes until it is written, and will be prefilled even if the workloads only read.
	if err := w.probeBandwidth(ctx, id, began, tool.Filler, v, req.MayWrite || v.Owned, res); err != nil {
		return nil, err
	}
	return res, w.check()
}

// probeBandwidth sets the two bandwidths. Reading is limited to what the write probe has written, because
// holes are read at memory speed. began is when the whole probe did.
func (w *worker) probeBandwidth(ctx context.Context, id int, began time.Time, filler load.Filler, v model.Volume, mayWrite bool, res *model.ProbeResult) error {
	total := probeRead.Seconds()
	if mayWrite {
		total += probeWrite.Seconds()
	}
	report := func(done, rate, seconds float64) {
		w.emit(model.Event{ID: id, Progress: &model.Progress{Phase: model.PhaseProbe, Done: done, Total: total, Rate: rate, Seconds: seconds}})
	}
	report(0, 0, 0)
	var err error
	if mayWrite {
		if res.WriteBandwidth, err = filler.Bandwidth(ctx, v, true, probeWrite); err != nil {
			return err
		}
		report(probeWrite.Seconds(), res.WriteBandwidth, 0)
		written := int64(res.WriteBandwidth*probeWrite.Seconds()) &^ (1<<20 - 1)
		v.Size = max(1<<20, min(v.Size, written))
	}
	res.ReadBandwidth, err = filler.Bandwidth(ctx, v, false, probeRead)
	report(total, res.ReadBandwidth, w.Env.Now().Sub(began).Seconds())
	return err
}

// probeVirtual answers for storage that exists only in its tool.
func (w *worker) probeVirtual(ctx context.Context, req model.ProbeRequest, tool load.Tool, res *model.ProbeResult) (err error) {
	if res.Capacity, err = tool.Virtual.Capacity(req.Target); err != nil {
		return err
	}
	if res.Tools[tool.Name], err = tool.Driver.Version(ctx); err != nil {
		return err
	}
	v := model.Volume{Target: req.Target}
	res.Direct = true
	if res.Engines, err = tool.Filler.Engines(ctx, v); err != nil {
		return err
	}
	// Like real storage, it is read right after it was written, while a cache may be draining.
	if res.WriteBandwidth, err = tool.Filler.Bandwidth(ctx, v, true, probeWrite); err != nil {
		return err
	}
	res.ReadBandwidth, err = tool.Filler.Bandwidth(ctx, v, false, probeRead)
	return err
}
