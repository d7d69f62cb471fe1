package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/analyze"
	"github.com/loadline/loadline/internal/engine"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/live"
	"github.com/loadline/loadline/internal/report/text"
	"github.com/loadline/loadline/internal/results"
	"github.com/loadline/loadline/internal/scenario/profile"
	"github.com/loadline/loadline/internal/spec"
	"github.com/loadline/loadline/internal/store"
)

// pairFlags are what an interleaved measurement of two targets needs.
type pairFlags struct {
	*options
	gate *gateFlags
	// scenario is "compare", or "baseline" where the first target is the storage that
	// the second is built on.
	scenario string
	results  string
	quiet    bool
	child    bool
}

// measured is where an interleaved measurement was saved, and how it ended.
type measured struct {
	dir    string
	status model.Status
	err    error
}

// pairing is two greeted workers and the plans made of what they found.
type pairing struct {
	places  [2]*placed
	workers [2]*engine.Worker
	probes  [2]model.ProbeResult
	plans   [2]model.Plan
}

func (p *pairing) close() error {
	var err error
	for _, w := range p.workers {
		if w != nil {
			err = errors.Join(err, w.Close())
		}
	}
	return err
}

// abandon ends the workers after an error.
func (p *pairing) abandon(err error) error {
	for _, at := range p.places {
		if at != nil {
			err = at.abandon(err)
		}
	}
	return err
}

// measurePair measures two targets in interleaved blocks. The error is for what
// went wrong before the first I/O; after that, measured holds it.
func measurePair(ctx context.Context, e *env.Env, f pairFlags, names [2]string) (measured, error) {
	started := e.Now()
	id := store.Name(started, "compare "+shortName(names[0])+" "+shortName(names[1]))
	watch := live.New(e.Stderr, live.Options{
		Interactive: e.Terminal.Interactive, Color: e.Terminal.Color, Unicode: e.Terminal.Unicode, Width: e.Terminal.Width, Quiet: f.quiet,
	})
	defer watch.Close()
	pair, margins, err := preparePair(ctx, e, f, names, id, watch, remarks(e, f.quiet))
	if err != nil {
		return measured{}, err
	}
	defer pair.close()
	dir, err := store.CreateComparison(f.results, id)
	if err != nil {
		return measured{}, model.RefusedError(err.Error(), "choose another folder with --results DIR")
	}
	sides, err := createSides(e, pair, dir, id, started)
	if err != nil {
		return measured{}, err
	}
	if !f.quiet {
		envs := [2]model.Environment{pair.probes[0].Environment, pair.probes[1].Environment}
		watch.Clear()
		_ = text.CompareHead(e.Stderr, model.Masked(pair.plans), envs, pair.probes[0].Tools, terminalOptions(e.Terminal))
	}
	m := measured{dir: dir}
	for i := range sides {
		defer watchCopies([]copiesOf{pair.places[i].copies()}, e.Now, sides[i].Recorder.Beside)()
	}
	m.status, m.err = engine.Compare(ctx, engine.CompareOptions{
		A: sides[0], B: sides[1], Judge: analyze.BlockJudge{Margins: margins}, Scheduler: turns{}, Observer: watch, Now: e.Now,
	})
	if err := pair.close(); err != nil && m.err == nil {
		m.err = err
	}
	return m, nil
}

// preparePair checks everything that can be checked before any I/O, then probes
// both targets and plans.
func preparePair(ctx context.Context, e *env.Env, f pairFlags, names [2]string, id string, watch engine.Observer, say io.Writer) (_ *pairing, margins model.Margins, err error) {
	asked, err := f.gate.margins()
	if err != nil {
		return nil, margins, err
	}
	margins = results.Margins(asked, model.Experiment{})
	exp, err := f.experiment(names[1])
	if err != nil {
		return nil, margins, err
	}
	exp.Scenario, exp.Baseline, exp.Margin, exp.MarginP99 = f.scenario, names[0], margins.Rate, margins.P99
	p, err := chosenProfile(e, exp, say)
	if err != nil {
		return nil, margins, err
	}
	if _, err := spec.ParseGoals(exp.Goals, p.Workloads); err != nil {
		return nil, margins, err
	}
	if err := profile.CheckSize(exp.Size, p.Workloads); err != nil {
		return nil, margins, err
	}
	var targets [2]model.Target
	for i, name := range names {
		if targets[i], err = f.parseTarget(name); err != nil {
			return nil, margins, err
		}
		if err := checkClaimSize(exp, targets[i]); err != nil {
			return nil, margins, err
		}
	}
	if f.here(targets[0]) || f.here(targets[1]) {
		if err := checkJobs(ctx, e, p.Workloads); err != nil {
			return nil, margins, err
		}
	}
	if err := refuseSame(targets[0], targets[1]); err != nil {
		return nil, margins, err
	}
	pair := &pairing{}
	exps := [2]model.Experiment{exp, exp}
	// The goals are of the target, not of its baseline.
	exps[0].Target, exps[0].Goals, exps[0].DestroyDataOn = names[0], nil, f.destroyOn(names[0])
	near := ""
	for i, t := range targets {
		at, err := f.place(ctx, e, exps[i], t, placeOptions{id: id, suffix: "-" + store.Sides[i], child: f.child, near: near, say: sayTo(watch)})
		if err != nil {
			return nil, margins, pair.abandon(err)
		}
		if at.cluster != nil {
			near = at.cluster.Node
		}
		at.allow(&exps[i])
		pair.places[i], pair.workers[i], targets[i] = at, at.worker, at.target
		if pair.probes[i], err = probe(ctx, at, exps[i], p, true, nil, watch); err != nil {
			return nil, margins, pair.abandon(err)
		}
	}
	if f.scenario == results.OnBaseline {
		if err := refuseShared(targets[0], targets[1], pair.probes[0].Environment, pair.probes[1].Environment); err != nil {
			return nil, margins, pair.abandon(err)
		}
	}
	if pair.plans, err = profile.Pair(exps, p, targets, pair.probes); err != nil {
		return nil, margins, pair.abandon(err)
	}
	return pair, margins, nil
}

// createSides begins the record of each side.
func createSides(e *env.Env, pair *pairing, dir, id string, started time.Time) ([2]engine.Side, error) {
	var sides [2]engine.Side
	for i := range sides {
		yaml, err := spec.MarshalExperiment(pair.plans[i].Experiment)
		if err != nil {
			return sides, err
		}
		writer, err := store.Create(dir, e.Now, store.Start{
			Directory: store.Sides[i], Experiment: yaml, Plan: pair.plans[i], Environment: pair.probes[i].Environment,
			Run: model.Run{ID: id + "-" + store.Sides[i], Started: started, Command: recordedCommand(e),
				Tools: pair.probes[i].Tools, Comparison: id, Side: []model.Side{model.SideA, model.SideB}[i]},
		})
		if err != nil {
			return sides, model.RefusedError(err.Error(), "choose another folder with --results DIR")
		}
		sides[i] = engine.Side{Plan: pair.plans[i], Workers: []*engine.Worker{pair.workers[i]}, Recorder: writer, Beside: besides(pair.probes[i])}
	}
	return sides, nil
}

// turns is the profile scenario's rule for blocks.
type turns struct{}

func (turns) Turns(p *model.Plan, round int, workloads []model.Workload) []model.Turn {
	return profile.Turns(p, round, workloads)
}

// shortName is the end of a target's name, for the name of a folder.
func shortName(name string) string {
	// Before it is cut: half a URI does not show what in it is secret.
	name = model.MaskText(name)
	if i := strings.LastIndexByte(strings.TrimRight(name, "/"), '/'); i >= 0 {
		name = name[i+1:]
	}
	if len(name) > 16 {
		name = name[:16]
	}
	return name
}
