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

// measured says where an interleaved measurement was saved, and how it ended.
type measured struct {
	dir    string
	status model.Status
	err    error
}

// measurePair measures two targets in interleaved blocks. The error covers failures
// before the first I/O; a later failure is in measured.
func (f *savingFlags) measurePair(ctx context.Context, e *env.Env, o *options, exp model.Experiment) (measured, error) {
	margins := results.Margins(model.Margins{}, exp)
	exp.Margin, exp.MarginP99 = margins.Rate, margins.P99
	both, err := session.NewRequest(exp, remarks(e, f.quiet))
	if err != nil {
		return measured{}, err
	}
	run := model.Run{Started: e.Now(), Command: recordedCommand(e), Again: o.typed(ctx, exp), Labels: exp.Labels}
	run.ID = store.Name(run.Started, "compare "+shortName(exp.Baseline)+" "+shortName(exp.Target))
	watch := watching(e, f.quiet)
	defer watch.Close()
	both.ID, both.Child, both.Watch = run.ID, f.child, watch
	pair, err := o.places.PreparePair(ctx, e, both)
	if err != nil {
		return measured{}, err
	}
	defer pair.Close()
	watch.Clear()
	if err := consent(ctx, e, f.quiet, pair.Plans[:]...); err != nil {
		return measured{}, err
	}
	dir, err := store.CreateComparison(f.results, run.ID)
	if err != nil {
		return measured{}, model.RefusedError(err.Error(), "choose another folder with --results DIR")
	}
	if err := pair.Create(dir, run, e.Now); err != nil {
		return measured{}, err
	}
	if !f.quiet && !tellPlan(e, run, dir, pair.Plans[:]...) {
		envs := [2]model.Environment{pair.Probes[0].Environment, pair.Probes[1].Environment}
		watch.Clear()
		_ = text.CompareHead(e.Stderr, secrets.Masked(pair.Plans), envs, pair.Probes[0].Tools, terminalOptions(e.Terminal))
	}
	m := measured{dir: dir}
	m.status, m.err = pair.Measure(ctx, watch, e.Now)
	if withdrawn(m.err, dir) {
		return measured{}, m.err
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
