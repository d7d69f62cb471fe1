package session

import (
	"context"
	"errors"
	"time"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Pair consists of two connected workers, what they found, and the resulting plans: for the baseline and
// for the target.
type Pair struct {
	places  [2]*placed
	workers [2]*engine.Worker
	Probes  [2]model.ProbeResult
	Plans   [2]model.Plan
	sides   [2]engine.Side
}

// Close ends both workers, which removes what they created. It may be called twice.
func (p *Pair) Close() error {
	var err error
	for _, w := range p.workers {
		if w != nil {
			err = errors.Join(err, w.Close())
		}
	}
	return err
}

// abandon ends the workers after an error.
func (p *Pair) abandon(err error) error {
	for _, at := range p.places {
		if at != nil {
			err = at.abandon(err)
		}
	}
	return err
}

// PreparePair is Prepare for the target of an experiment and its baseline together.
func (o *Places) PreparePair(ctx context.Context, e *env.Env, by Request) (_ *Pair, err error) {
	exp, p := by.Experiment, by.Profile
	names := [2]string{exp.Baseline, exp.Target}
	if _, err := spec.ParseGoals(exp.Goals, p.Workloads); err != nil {
		return nil, err
	}
	if err := profile.CheckAsked(exp, p, 2); err != nil {
		return nil, err
	}
	if err := o.oneHost(); err != nil {
		return nil, err
	}
	apps := sidesOf(exp.App)
	var targets [2]model.Target
	var logs [2]*model.Target
	for i, name := range names {
		if targets[i], err = o.parseAsked(name, exp.App); err != nil {
			return nil, err
		}
		if logs[i], err = o.logTarget(apps[i], targets[i]); err != nil {
			return nil, err
		}
		if err := errors.Join(checkClaimSize(exp, targets[i]), o.checkClient(ctx, e, apps[i], targets[i])); err != nil {
			return nil, err
		}
	}
	if o.here(targets[0]) || o.here(targets[1]) {
		if err := checkJobs(ctx, e, p.Workloads); err != nil {
			return nil, err
		}
	}
	if err := refuseSame(targets[0], targets[1]); err != nil {
		return nil, err
	}
	pair := &Pair{}
	exps := [2]model.Experiment{exp, exp}
	exps[0].App, exps[1].App = apps[0], apps[1]
	// The goals apply to the target, not to its baseline.
	exps[0].Target, exps[0].Goals, exps[0].DestroyDataOn = names[0], nil, o.DestroyOn(names[0])
	near := ""
	for i, t := range targets {
		at, err := o.place(ctx, e, exps[i], t, placeOptions{ID: by.ID, suffix: "-" + store.Sides[i], child: by.Child, near: near, log: logs[i], say: sayTo(by.Watch)})
		if err != nil {
			return nil, pair.abandon(err)
		}
		if at.cluster != nil {
			near = at.cluster.Node
		}
		at.allow(&exps[i])
		pair.places[i], pair.workers[i], targets[i] = at, at.worker, at.target
		if pair.Probes[i], err = probe(ctx, at, exps[i], p, true, nil, by.Watch); err != nil {
			return nil, pair.abandon(err)
		}
	}
	if exp.Scenario == model.OnBaseline {
		if err := refuseShared(targets[0], targets[1], pair.Probes[0].Environment, pair.Probes[1].Environment, by.Again); err != nil {
			return nil, pair.abandon(err)
		}
	}
	if err := refuseOneServer(targets, pair.Probes); err != nil {
		return nil, pair.abandon(err)
	}
	if pair.Plans, err = profile.Pair(exps, p, targets, pair.Probes); err != nil {
		return nil, pair.abandon(err)
	}
	if err := o.refuseCrowded(targets, pair.Probes, pair.Plans); err != nil {
		return nil, pair.abandon(err)
	}
	adviseCleanup(targets[:], pair.Probes[:], by.Watch)
	return pair, nil
}

// Create begins the record of each side in the directory of a comparison; run holds what is known of both
// so far. If the second cannot begin, the first is closed, so that the caller can remove the directory.
func (p *Pair) Create(dir string, run model.Run, now func() time.Time) error {
	for i := range p.sides {
		yaml, err := spec.MarshalExperiment(repeatable(p.Plans[i].Experiment))
		if err != nil {
			return err
		}
		side := run
		side.ID, side.Comparison, side.Side = run.ID+"-"+store.Sides[i], run.ID, []model.Side{model.SideA, model.SideB}[i]
		side.Tools = p.Probes[i].Tools
		writer, err := store.Create(dir, now, store.Start{
			Directory: store.Sides[i], Experiment: yaml, Plan: p.Plans[i], Environment: p.Probes[i].Environment, Run: side,
		})
		if err != nil {
			for _, begun := range p.sides[:i] {
				_ = begun.Recorder.Finish(model.Failed, err.Error()) // it is about to be removed
			}
			return model.RefusedError(err.Error(), "choose another folder with --results DIR")
		}
		p.sides[i] = engine.Side{Plan: p.Plans[i], Workers: []*engine.Worker{p.workers[i]}, Recorder: writer, Beside: evidenceFor(p.Probes[i])}
	}
	return nil
}

// Measure measures both sides in interleaved blocks, until their differences are decided by the margins of
// the experiment, and ends the workers; if it is complete, filled devices are discarded.
func (p *Pair) Measure(ctx context.Context, watch engine.Observer, now func() time.Time) (model.Status, error) {
	for i := range p.sides {
		defer watchCopies([]copiesOf{p.places[i].copies()}, now, p.sides[i].Recorder.Beside)()
	}
	exp := p.Plans[1].Experiment
	status, err := engine.Compare(ctx, engine.CompareOptions{
		A: p.sides[0], B: p.sides[1], Judge: analyze.BlockJudge{Margins: model.Margins{Rate: exp.Margin, P99: exp.MarginP99}},
		Scheduler: profileBlocks{}, Observer: watch, Now: now, Looker: analyze.Judge{},
	})
	if status == model.Complete {
		for _, w := range p.workers {
			w.Discard()
		}
	}
	var left *model.LeftError
	if closeErr := p.Close(); err == nil {
		err = closeErr
	} else if errors.As(closeErr, &left) {
		err = errors.Join(err, left)
	}
	return status, err
}

// profileBlocks is the profile scenario's rule for further blocks.
type profileBlocks struct{}

// SideSteps draws the steps of one more round of blocks, without their numbers.
func (profileBlocks) SideSteps(p *model.Plan, round int, workloads []model.Workload) []model.SideStep {
	return profile.SideSteps(p, round, workloads)
}
