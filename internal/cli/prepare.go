package cli

import (
	"context"
	"errors"

	"github.com/loadline/loadline/internal/engine"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/scenario/profile"
	"github.com/loadline/loadline/internal/spec"
)

// prepared is the greeted workers, what they found, and the plan made of that.
type prepared struct {
	// workers are none for a plan that only foresees its target; several volumes have
	// as many, and probe is that of the first.
	workers []*engine.Worker
	probe   model.ProbeResult
	plan    model.Plan
	// beside is what to look at beside the load.
	beside engine.Besides
	// copies are how to watch the volumes' replicas, one for each worker.
	copies []copiesOf
}

// request is what is to be measured. With touch false nothing is written, not even by a
// probe.
type request struct {
	id           string
	child, touch bool
	watch        engine.Observer
	// experiment is what was asked for, and profile its workloads.
	experiment model.Experiment
	profile    profile.Profile
	// build plans one volume; several is set instead where there are more.
	build   builder
	several *several
}

// builder makes the plan of one volume.
type builder func(exp model.Experiment, p profile.Profile, t model.Target, found model.ProbeResult) (model.Plan, error)

// prepare checks everything that can be checked before any I/O, then probes and
// plans.
func (o *places) prepare(ctx context.Context, e *env.Env, by request) (*prepared, error) {
	exp, p := by.experiment, by.profile
	if _, err := spec.ParseGoals(exp.Goals, p.Workloads); err != nil {
		return nil, err
	}
	if err := profile.CheckSize(exp.Size, p.Workloads); err != nil {
		return nil, err
	}
	if by.several != nil {
		return o.prepareSeveral(ctx, e, exp, p, by)
	}
	t, err := o.parseTarget(exp.Target)
	if err != nil {
		return nil, err
	}
	if len(o.hosts) > 1 {
		return nil, model.RefusedError("one volume is measured on one host, and --hosts names several", "loadline scale loads volumes on several hosts at once")
	}
	if o.here(t) {
		err = checkJobs(ctx, e, p.Workloads)
	}
	if err := errors.Join(err, checkClaimSize(exp, t)); err != nil {
		return nil, err
	}
	if inCluster(t) && !by.touch {
		return o.prepareUnseen(ctx, e, exp, p, t, by.build)
	}
	at, err := o.place(ctx, e, exp, t, placeOptions{id: by.id, child: by.child, say: sayTo(by.watch)})
	if err != nil {
		return nil, err
	}
	at.allow(&exp)
	found, err := probe(ctx, at, exp, p, by.touch, nil, by.watch)
	if err != nil {
		return nil, at.abandon(err)
	}
	plan, err := by.build(exp, p, at.target, found)
	if err != nil {
		return nil, at.abandon(err)
	}
	return &prepared{workers: []*engine.Worker{at.worker}, probe: found, plan: plan, beside: besides(found), copies: []copiesOf{at.copies()}}, nil
}

// prepareUnseen plans for a volume in a cluster that does not exist yet, or that no
// pod of ours has mounted: there is no worker.
func (o *places) prepareUnseen(ctx context.Context, e *env.Env, exp model.Experiment, p profile.Profile, t model.Target, build builder) (*prepared, error) {
	seen, found, err := o.foresee(ctx, e, exp, t)
	if err != nil {
		return nil, err
	}
	(&placed{target: seen, cluster: found.Environment.Cluster}).allow(&exp)
	plan, err := build(exp, p, seen, found)
	if err != nil {
		return nil, err
	}
	return &prepared{probe: found, plan: plan}, nil
}

// sayTo makes remarks about the place appear among the progress. watch may be nil.
func sayTo(watch engine.Observer) func(string) {
	return func(words string) {
		if watch != nil {
			watch.Observe(model.Update{Message: words, Left: -1})
		}
	}
}

// probe asks a worker what the target is. like is what was found for another target of
// this kind on the same machine, where engines and versions are the same; nil to try and
// ask for them. watch may be nil.
func probe(ctx context.Context, at *placed, exp model.Experiment, p profile.Profile, touch bool, like *model.ProbeResult, watch engine.Observer) (model.ProbeResult, error) {
	req := model.ProbeRequest{
		Target: at.target, Destroy: exp.DestroyDataOn, MayWrite: writes(p.Workloads), LookOnly: !touch,
		Bandwidth: touch && exp.Size == 0, Share: at.share,
	}
	if like != nil {
		req.Engines, req.Tools = like.Engines, like.Tools
	}
	found, err := at.worker.Probe(ctx, req, func(p model.Progress) {
		if watch != nil {
			watch.Observe(model.Update{Progress: &p, Left: -1})
		}
	})
	if err != nil {
		return model.ProbeResult{}, at.named(err)
	}
	at.settle(found)
	return *found, nil
}

// scheduler is the profile scenario's rule for further rounds.
type scheduler struct{}

func (scheduler) Round(p *model.Plan, round int, workloads []model.Workload, first int) []model.Step {
	return profile.Round(p, round, workloads, first)
}

// besides asks the engine for what the rules need beside the load. The memory
// that could cache is the machine's, or what a cgroup leaves of it.
func besides(probe model.ProbeResult) engine.Besides {
	env := probe.Environment
	b := engine.Besides{Look: true, Memory: env.Memory}
	if env.CgroupMemory > 0 && env.CgroupMemory < env.Memory {
		b.Memory = env.CgroupMemory
	}
	return b
}
