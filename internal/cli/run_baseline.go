package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// runPair is run with a baseline: both are measured in interleaved blocks; the
// report is the target's, with the comparison.
func (f *runFlags) runPair(ctx context.Context, e *env.Env, target string) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	if err := f.gate.check(); err != nil {
		return err
	}
	for _, name := range []string{f.baseline, target} {
		if store.IsRun(name) || store.IsComparison(name) {
			return model.RefusedError(fmt.Sprintf("%s is a saved run, and run measures targets", name), "to compare saved runs: loadline compare A B")
		}
	}
	m, err := measurePair(ctx, e, pairFlags{&f.options, &f.savingFlags, &f.gate, model.OnBaseline}, [2]string{f.baseline, target})
	if err != nil {
		return err
	}
	code, err := f.finishBaseline(e, m.dir)
	return m.end(code, err)
}

// finishBaseline prints the target's report with the comparison, and returns the
// exit code: a regression goes before a missed goal, and that before an invalid
// number.
func (f *runFlags) finishBaseline(e *env.Env, dir string) (int, error) {
	again, err := f.gate.recompute(e, dir)
	if err != nil {
		return exitFailed, err
	}
	c, r := again.Comparison, again.Report
	r.Comparison = c
	if f.output == "json" {
		err = jsonout.Write(term.Raw(e.Stdout), r)
	} else {
		o := terminalOptions(e.Output)
		o.Brief = briefly(e, f.quiet)
		if err = text.Render(e.Stdout, r, o); err == nil {
			fmt.Fprintf(e.Stdout, "\nB, this target, against its baseline, A:\n")
			err = text.RenderComparison(e.Stdout, c, o)
		}
	}
	if err = errors.Join(err, again.Unsaved); err != nil {
		return exitFailed, err
	}
	code := f.gate.code(c)
	if reported := reportCode(r); code != exitRegression && reported != exitOK {
		code = reported
	}
	return code, nil
}
