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

// pairSide is what is asked for one side of a pair.
type pairSide struct {
	exp    model.Experiment
	target model.Target
	log    *model.Target
}

// askPair checks what can be checked of both sides before any I/O: the baseline and the target.
func (o *Places) askPair(ctx context.Context, e *env.Env, by Request) (sides [2]pairSide, err error) {
	exp, p := by.Experiment, by.Profile
	if _, err := spec.ParseGoals(exp.Goals, p.Workloads); err != nil {
		return sides, err
	}
	if err := profile.CheckAsked(exp, p, 2); err != nil {
		return sides, err
	}
	if err := o.oneHost(); err != nil {
		return sides, err
	}
	for i, app := range sidesOf(exp.App) {
		s := &sides[i]
		s.exp = exp
		s.exp.App = app
	}
	// The goals apply to the target, not to its baseline.
	base := &sides[0].exp
	base.Target, base.Goals, base.DestroyDataOn = exp.Baseline, nil, o.DestroyOn(exp.Baseline)
	for i := range sides {
		s := &sides[i]
		if s.target, err = o.parseAsked(s.exp.Target, exp.App); err != nil {
			return sides, err
		}
		if s.log, err = o.logTarget(s.exp.App, s.target); err != nil {
			return sides, err
		}
		if err := errors.Join(checkClaimSize(exp, s.target), o.checkClient(ctx, e, s.exp.App, s.target)); err != nil {
			return sides, err
		}
	}
	if o.here(sides[0].target) || o.here(sides[1].target) {
		if err := checkJobs(ctx, e, p.Workloads, exp.Job); err != nil {
			return sides, err
		}
	}
	return sides, refuseSame(sides[0].target, sides[1].target)
}

// PreparePair is Prepare for the target of an experiment and its baseline together. Without by.Touch, a volume in
// a cluster is only foreseen, and has no worker.
func (o *Places) PreparePair(ctx context.Context, e *env.Env, by Request) (*Pair, error) {
	sides, err := o.askPair(ctx, e, by)
	if err != nil {
		return nil, err
	}
	pair := &Pair{}
	var exps [2]model.Experiment
	var targets [2]model.Target
	for i := range sides {
		if err := o.prepareSide(ctx, e, pair, i, &sides[i], by); err != nil {
			return nil, pair.abandon(err)
		}
		exps[i], targets[i] = sides[i].exp, sides[i].target
	}
	if by.Experiment.Scenario == model.OnBaseline {
		if err := refuseShared(targets[0], targets[1], pair.Probes[0].Environment, pair.Probes[1].Environment, by.Again); err != nil {
			return nil, pair.abandon(err)
		}
	}
	if err := refuseOneServer(targets, pair.Probes); err != nil {
		return nil, pair.abandon(err)
	}
	if pair.Plans, err = profile.Pair(exps, by.Profile, targets, pair.Probes); err != nil {
		return nil, pair.abandon(err)
	}
	if err := o.refuseCrowded(targets, pair.Probes, pair.Plans); err != nil {
		return nil, pair.abandon(err)
	}
	if by.Touch {
		adviseCleanup(targets[:], pair.Probes[:], by.Watch)
	}
	return pair, nil
}

// prepareSide connects the worker of a side and probes its target, whose name and form it then knows.
func (o *Places) prepareSide(ctx context.Context, e *env.Env, pair *Pair, i int, s *pairSide, by Request) (err error) {
	if inCluster(s.target) && !by.Touch {
		seen, found, err := o.foresee(ctx, e, s.exp, s.target, s.log)
		s.target, pair.Probes[i] = seen, found
		(&placed{target: seen, cluster: found.Environment.Cluster}).allow(&s.exp)
		return err
	}
	near := ""
	if other := pair.places[0]; i > 0 && other != nil && other.cluster != nil {
		near = other.cluster.Node
	}
	at, err := o.place(ctx, e, s.exp, s.target, placeOptions{ID: by.ID, suffix: "-" + store.Sides[i], child: by.Child, near: near, log: s.log, say: sayTo(by.Watch)})
	if err != nil {
		return err
	}
	at.allow(&s.exp)
	pair.places[i], pair.workers[i], s.target = at, at.worker, at.target
	pair.Probes[i], err = probe(ctx, at, s.exp, by.Profile, by.Touch, nil, by.Watch)
	return err
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
			return otherResults(err)
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
