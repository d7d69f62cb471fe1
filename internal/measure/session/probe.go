package session

import (
	"context"

	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// sayTo passes remarks about the place on as progress messages. watch may be nil.
func sayTo(watch engine.Observer) func(string) {
	return func(words string) {
		if watch != nil {
			watch.Observe(model.Update{Message: words, Unplanned: true})
		}
	}
}

// probe asks a worker to probe the target. like is the result for another target of this kind on the same
// machine, whose engines and versions are the same; if it is nil, the worker tries and queries them. watch
// may be nil.
func probe(ctx context.Context, at *placed, exp model.Experiment, p profile.Profile, touch bool, like *model.ProbeResult, watch engine.Observer) (model.ProbeResult, error) {
	req := model.ProbeRequest{
		Target: at.target, Destroy: exp.DestroyDataOn, MayWrite: writes(p.Workloads), LookOnly: !touch,
		Bandwidth: touch && exp.Size == 0, Share: at.share, App: exp.App, Log: at.log,
	}
	if like != nil {
		req.Engines, req.Tools = like.Engines, like.Tools
	}
	found, err := at.worker.Probe(ctx, req, func(p model.Progress) {
		if watch != nil {
			watch.Observe(model.Update{Progress: &p, Unplanned: true})
		}
	})
	if err != nil {
		return model.ProbeResult{}, at.named(err)
	}
	at.settle(found)
	return *found, nil
}

// evidenceFor returns what the rules need to be measured apart from the load. The memory that could serve
// as a cache is the machine's, or the limit of a cgroup.
func evidenceFor(probe model.ProbeResult) engine.Evidence {
	env := probe.Environment
	b := engine.Evidence{Look: true, Memory: env.Memory, ReadBandwidth: probe.ReadBandwidth, WriteBandwidth: probe.WriteBandwidth}
	if env.CgroupMemory > 0 && env.CgroupMemory < env.Memory {
		b.Memory = env.CgroupMemory
	}
	return b
}
