package cli

import (
	"errors"
	"fmt"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/screen"
)

// finishBaseline prints the target's report with the comparison, and returns the
// exit code: a regression takes precedence over a missed goal, and that over an invalid
// number.
func (f *measureFlags) finishBaseline(e *env.Env, folder *store.Folder) (int, error) {
	again, err := f.gate.recompute(e, folder)
	if err != nil {
		return exitFailed, err
	}
	c, r := again.Comparison, again.Report
	r.Comparison = c
	f.publisher.found.Reports = []*model.Report{r}
	words := func() error {
		o := screen.Text(e.Output)
		o.Brief = screen.HeadIsShown(e, f.quiet)
		if err := text.Render(e.Stdout, r, o); err != nil {
			return err
		}
		fmt.Fprintf(e.Stdout, "\nB, this target, against its baseline, A:\n")
		return text.RenderComparison(e.Stdout, c, o)
	}
	f.output.words = words
	switch f.output.name() {
	case "json":
		err = jsonout.Write(term.Raw(e.Stdout), r)
	case "text":
		err = words()
	default:
		err = f.output.emitComparison(e, c, folder)
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
