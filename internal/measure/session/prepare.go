package session

import (
	"context"
	"errors"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Prepared consists of the connected workers, what they found, and the resulting plan.
type Prepared struct {
	// workers is empty if the plan only foresees its target; there is one for each volume, and Probe is
	// that of the first.
	workers []*engine.Worker
	Probe   model.ProbeResult
	// Plan may still be changed before it is carried out.
	Plan model.Plan
	// Manifests are the claim and the pod of an application that is foreseen in a cluster, as YAML.
	Manifests string
	// Beside is what to measure apart from the load.
	Beside engine.Evidence
	// copies say how to watch the volumes' replicas, and stands what storage each volume is on, one for
	// each worker.
	copies []copiesOf
	stands []standing
}

// Request says what to measure.
type Request struct {
	// ID names the run's files and objects.
	ID string
	// Child runs a worker of this machine as a separate process.
	Child bool
	// Touch allows writing; without it, not even a probe writes.
	Touch bool
	// Again is the command, to advise one like it; nil if it is not known.
	Again model.CommandLine
	// Watch receives the progress; it may be nil.
	Watch engine.Observer
	// Experiment is what was asked for, and Profile its workloads.
	Experiment model.Experiment
	Profile    profile.Profile
	// Build plans one volume; if there are more, Several is set instead. A pair needs neither.
	Build   Builder
	Several *Several
}

// Builder makes the plan of one volume.
type Builder func(exp model.Experiment, p profile.Profile, t model.Target, found model.ProbeResult) (model.Plan, error)

// Prepare checks everything that can be checked before any I/O, then probes and plans.
func (o *Places) Prepare(ctx context.Context, e *env.Env, by Request) (*Prepared, error) {
	exp, p := by.Experiment, by.Profile
	if _, err := spec.ParseGoals(exp.Goals, p.Workloads); err != nil {
		return nil, err
	}
	if err := profile.CheckAsked(exp, p, 1); err != nil {
		return nil, err
	}
	if by.Several != nil {
		return o.prepareSeveral(ctx, e, exp, p, by)
	}
	t, err := o.parseAsked(exp.Target, exp.App)
	if err != nil {
		return nil, err
	}
	if err := o.oneHost(); err != nil {
		return nil, err
	}
	if o.here(t) {
		err = checkJobs(ctx, e, p.Workloads, exp.Job)
	}
	log, logErr := o.logTarget(exp.App, t)
	if err := errors.Join(err, checkClaimSize(exp, t), logErr); err != nil {
		return nil, err
	}
	if err := o.checkClient(ctx, e, exp.App, t); err != nil {
		return nil, err
	}
	if inCluster(t) && !by.Touch {
		return o.prepareUnseen(ctx, e, t, log, by)
	}
	at, err := o.place(ctx, e, exp, t, placeOptions{ID: by.ID, child: by.Child, log: log, say: sayTo(by.Watch)})
	if err != nil {
		return nil, err
	}
	at.allow(&exp)
	found, err := probe(ctx, at, exp, p, by.Touch, nil, by.Watch)
	if err != nil {
		return nil, at.abandon(err)
	}
	plan, err := by.Build(exp, p, at.target, found)
	if err != nil {
		return nil, at.abandon(err)
	}
	if by.Touch {
		adviseCleanup([]model.Target{at.target}, []model.ProbeResult{found}, by.Watch)
	}
	return &Prepared{workers: []*engine.Worker{at.worker}, Probe: found, Plan: plan, Beside: evidenceFor(found), copies: []copiesOf{at.copies()}, stands: []standing{at.stands(&found)}}, nil
}

// prepareUnseen plans for a volume in a cluster that does not exist yet, or that no pod of this run has
// mounted: there is no worker.
func (o *Places) prepareUnseen(ctx context.Context, e *env.Env, t model.Target, log *model.Target, by Request) (*Prepared, error) {
	exp := by.Experiment
	seen, found, err := o.foresee(ctx, e, exp, t, log)
	if err != nil {
		return nil, err
	}
	(&placed{target: seen, cluster: found.Environment.Cluster}).allow(&exp)
	plan, err := by.Build(exp, by.Profile, seen, found)
	if err != nil {
		return nil, err
	}
	prep := &Prepared{Probe: found, Plan: plan}
	if exp.App != nil {
		prep.Manifests, err = o.manifests(ctx, e, exp, t, log, by.ID)
	}
	return prep, err
}

// scheduler is the profile scenario's rule for further rounds.
type scheduler struct{}

// Round draws the steps of one more round, numbered from first on.
func (scheduler) Round(p *model.Plan, round int, workloads []model.Workload, first int) []model.Step {
	return profile.Round(p, round, workloads, first)
}
