package cli

import (
	"context"
	"errors"
	"io"

	"github.com/loadline/loadline/internal/engine"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/scenario/profile"
	"github.com/loadline/loadline/internal/spec"
)

// scenario is how what was asked for becomes workloads and a plan.
type scenario struct {
	// shape writes what only this scenario knows into the experiment.
	shape     func(*model.Experiment)
	workloads func(e *env.Env, exp model.Experiment, say io.Writer) (profile.Profile, error)
	build     func(exp model.Experiment, p profile.Profile, t model.Target, found model.ProbeResult) (model.Plan, error)
	// several is set instead of build where there is more than one volume.
	several *several
}

// ofProfile is the scenario of run: a named list of workloads.
var ofProfile = scenario{shape: func(*model.Experiment) {}, workloads: chosenProfile, build: profile.Build}

// prepared is the greeted workers, what they found, and the plan made of that.
type prepared struct {
	// workers are none for a plan that only foresees its target; several volumes have
	// as many, and probe is that of the first.
	workers []*engine.Worker
	probe   model.ProbeResult
	plan    model.Plan
	// copies are how to watch the volumes' replicas, one for each worker.
	copies []copiesOf
}

// prepareOptions are what prepare needs beside the flags. With touch false nothing
// is written, not even by a probe.
type prepareOptions struct {
	id           string
	child, touch bool
	watch        engine.Observer
	// say gets remarks for people.
	say io.Writer
	scenario
}

// prepare checks everything that can be checked before any I/O, then probes and
// plans.
func (o *options) prepare(ctx context.Context, e *env.Env, name string, by prepareOptions) (*prepared, error) {
	exp, err := o.experiment(name)
	if err != nil {
		return nil, err
	}
	by.shape(&exp)
	p, err := by.workloads(e, exp, by.say)
	if err != nil {
		return nil, err
	}
	if _, err := spec.ParseGoals(exp.Goals, p.Workloads); err != nil {
		return nil, err
	}
	if err := profile.CheckSize(exp.Size, p.Workloads); err != nil {
		return nil, err
	}
	if by.several != nil {
		return o.prepareSeveral(ctx, e, exp, p, by)
	}
	t, err := o.parseTarget(name)
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
		return o.prepareUnseen(ctx, e, exp, p, t, by.scenario)
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
	return &prepared{workers: []*engine.Worker{at.worker}, probe: found, plan: plan, copies: []copiesOf{at.copies()}}, nil
}

// prepareUnseen plans for a volume in a cluster that does not exist yet, or that no
// pod of ours has mounted: there is no worker.
func (o *options) prepareUnseen(ctx context.Context, e *env.Env, exp model.Experiment, p profile.Profile, t model.Target, by scenario) (*prepared, error) {
	seen, found, err := o.foresee(ctx, e, exp, t)
	if err != nil {
		return nil, err
	}
	(&placed{target: seen, cluster: found.Environment.Cluster}).allow(&exp)
	plan, err := by.build(exp, p, seen, found)
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
