package cli

import (
	"errors"
	"slices"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/results"
	"github.com/loadline/loadline/internal/show/screen"
)

// finish prints the results of a run, a ranking or a durability test, and returns the exit code
// for the verdicts; brief leaves out the head. Results that could not be saved are printed
// nevertheless.
func finish(e *env.Env, done results.Outcome, output *outputFlags, brief bool) (int, error) {
	for _, d := range done.Damage {
		printLine(e.Stderr, "loadline: %s", d)
	}
	words := func() error {
		o := screen.Text(e.Output)
		o.Brief = brief
		return text.Render(e.Stdout, done.Report, o)
	}
	var err error
	switch {
	case done.Durability != nil:
		err = screen.PrintDurability(e, done.Durability, output.name() == "json")
	case done.Trace != nil:
		err = printTrace(e, done.Trace, output, nil)
	case output.name() == "json":
		_, err = term.Raw(e.Stdout).Write(done.Document)
	case output.name() == "text":
		err = words()
	case done.Unsaved != nil:
		// What is saved there is another report, or none.
		err = output.emit(e, &format.Documents{Reports: []*model.Report{done.Report}})
	default:
		err = output.emitSaved(e, nil, done.Report.Run.Directory)
	}
	if done.Report != nil {
		output.words = words
	}
	if err = errors.Join(err, done.Unsaved); err != nil {
		return exitFailed, err
	}
	return outcomeCode(done), nil
}

// outcomeCode returns the exit code for the goals and verdicts of an outcome.
func outcomeCode(done results.Outcome) int {
	switch {
	case done.Durability != nil:
		return durabilityCode(done.Durability)
	case done.Trace != nil:
		return findingsCode(done.Trace.Findings)
	case len(done.Systems) > 0:
		code := exitOK
		for _, r := range done.Systems {
			one := reportCode(r)
			if one == exitGoal {
				return one
			}
			code = max(code, one)
		}
		return code
	}
	return reportCode(done.Report)
}

// reportCode returns the exit code for the goals and verdicts of a report.
func reportCode(r *model.Report) int {
	if code := goalCode(r); code != exitOK {
		return code
	}
	return verdictCode(r)
}

// verdictCode returns 5 if any result is invalid, if a rule invalidates the run, or if a durability test has shown
// that the storage loses writes.
func verdictCode(r *model.Report) int {
	if slices.ContainsFunc(r.Durability, model.Durability.Broken) {
		return exitInvalid
	}
	return findingsCode(r.Findings)
}

// findingsCode returns 5 if a finding says that the figures cannot be trusted.
func findingsCode(list []model.Finding) int {
	if slices.ContainsFunc(list, func(f model.Finding) bool { return f.Severity == model.SeverityInvalid }) {
		return exitInvalid
	}
	return exitOK
}

// goalCode returns 3 if a goal was missed or is undecided, for whatever reason: a gate passes only what is proven to be
// good. An invalid number is one such reason, and whoever set a goal wants to know of the goal first.
func goalCode(r *model.Report) int {
	if slices.ContainsFunc(r.Goals, func(g model.Goal) bool { return g.Outcome != model.Met }) {
		return exitGoal
	}
	return exitOK
}
