package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/text"
)

// pairOutcome says where an interleaved measurement was saved, and how it ended.
type pairOutcome struct {
	dir    string
	status model.Status
	err    error
	// returned is the space of filled devices that was returned to their storage.
	returned []session.Returned
}

// measurePair measures two targets in interleaved blocks. The error covers failures
// before the first I/O; a later failure is in measured.
func (f *saveFlags) measurePair(ctx context.Context, e *env.Env, o *options, exp model.Experiment) (pairOutcome, error) {
	margins := results.Margins(model.Margins{}, exp)
	exp.Margin, exp.MarginP99 = margins.Rate, margins.P99
	both, err := session.NewRequest(exp, noteWriter(e, f.quiet))
	if err != nil {
		return pairOutcome{}, err
	}
	run := model.Run{Started: e.Now(), Command: recordedCommand(e), Again: o.commandLine(ctx, exp), Labels: exp.Labels}
	run.ID = store.Name(run.Started, "compare "+shortName(exp.Baseline)+" "+shortName(exp.Target))
	watch := newWatcher(e, f.quiet)
	defer watch.Close()
	both.ID, both.Child, both.Watch, both.Again = run.ID, f.child, watch, run.Again
	pair, err := o.places.PreparePair(ctx, e, both)
	if err != nil {
		return pairOutcome{}, err
	}
	defer pair.Close()
	run.Again = run.Again.Placed(slices.Concat(pair.Plans[0].Targets(), pair.Plans[1].Targets()))
	watch.Clear()
	if err := consent(ctx, e, f.quiet, pair.Plans[:]...); err != nil {
		return pairOutcome{}, err
	}
	dir, err := store.CreateComparison(f.results, run.ID)
	if err != nil {
		return pairOutcome{}, model.RefusedError(err.Error(), "choose another folder with --results DIR")
	}
	if err := pair.Create(dir, run, e.Now); err != nil {
		// The directory was made here, and nothing has been measured.
		return pairOutcome{}, errors.Join(err, os.RemoveAll(dir))
	}
	if !f.quiet && !emitPlan(e, run, dir, pair.Plans[:]...) {
		envs := [2]model.Environment{pair.Probes[0].Environment, pair.Probes[1].Environment}
		watch.Clear()
		_ = text.CompareHead(e.Stderr, secrets.Masked(pair.Plans), envs, pair.Probes[0].Tools, terminalOptions(e.Terminal))
	}
	m := pairOutcome{dir: dir}
	m.status, m.err = pair.Measure(ctx, watch, e.Now)
	m.returned = pair.Discarded()
	if removeRefused(m.err, dir) {
		return pairOutcome{}, m.err
	}
	return m, nil
}

// shortName returns the end of a target's name, for use as a folder name.
func shortName(name string) string {
	// Mask before cutting: in half a URI the secret part can no longer be recognized.
	name = secrets.MaskText(name)
	if i := strings.LastIndexByte(strings.TrimRight(name, "/"), '/'); i >= 0 {
		name = name[i+1:]
	}
	if len(name) > 16 {
		name = name[:16]
	}
	return name
}
