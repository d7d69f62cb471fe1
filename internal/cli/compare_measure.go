package cli

import (
	"context"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/text"
)

// pairFlags are the flags of an interleaved measurement of two targets.
type pairFlags struct {
	*options
	*savingFlags
	gate *gateFlags
	// scenario is "compare", or that of a baseline where the first target is the storage
	// that the second is built on.
	scenario string
}

// measured is where an interleaved measurement was saved, and how it ended.
type measured struct {
	dir    string
	status model.Status
	err    error
}

// measurePair measures two targets in interleaved blocks. The error is for what
// went wrong before the first I/O; after that, measured holds it.
func measurePair(ctx context.Context, e *env.Env, f pairFlags, names [2]string) (measured, error) {
	asked, err := f.gate.margins()
	if err != nil {
		return measured{}, err
	}
	both := session.Request{Child: f.child}
	if both.Experiment, err = f.experiment(names[1]); err != nil {
		return measured{}, err
	}
	exp, margins := &both.Experiment, results.Margins(asked, model.Experiment{})
	exp.Scenario, exp.Baseline, exp.Margin, exp.MarginP99 = f.scenario, names[0], margins.Rate, margins.P99
	if both.Profile, err = session.ChosenProfile(e, *exp, remarks(e, f.quiet)); err != nil {
		return measured{}, err
	}
	run := model.Run{Started: e.Now(), Command: recordedCommand(e), Again: typed(ctx)}
	run.ID = store.Name(run.Started, "compare "+shortName(names[0])+" "+shortName(names[1]))
	watch := watching(e, f.quiet)
	defer watch.Close()
	both.ID, both.Watch = run.ID, watch
	pair, err := f.places.PreparePair(ctx, e, both)
	if err != nil {
		return measured{}, err
	}
	defer pair.Close()
	dir, err := store.CreateComparison(f.results, run.ID)
	if err != nil {
		return measured{}, model.RefusedError(err.Error(), "choose another folder with --results DIR")
	}
	if err := pair.Create(dir, run, e.Now); err != nil {
		return measured{}, err
	}
	if !f.quiet {
		envs := [2]model.Environment{pair.Probes[0].Environment, pair.Probes[1].Environment}
		watch.Clear()
		_ = text.CompareHead(e.Stderr, secrets.Masked(pair.Plans), envs, pair.Probes[0].Tools, terminalOptions(e.Terminal))
	}
	m := measured{dir: dir}
	m.status, m.err = pair.Measure(ctx, watch, e.Now)
	return m, nil
}

// shortName is the end of a target's name, for the name of a folder.
func shortName(name string) string {
	// Before it is cut: half a URI does not show what in it is secret.
	name = secrets.MaskText(name)
	if i := strings.LastIndexByte(strings.TrimRight(name, "/"), '/'); i >= 0 {
		name = name[i+1:]
	}
	if len(name) > 16 {
		name = name[:16]
	}
	return name
}
