package cli

import (
	"errors"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// finish prints what was computed of a run, a ranking or a durability test, and returns the
// exit code that the verdicts ask for; brief leaves out the head. What could not be saved is
// printed all the same.
func finish(e *env.Env, done results.Outcome, output *outputFlags, brief bool) (int, error) {
	for _, d := range done.Damage {
		sayLine(e.Stderr, "loadline: %s", d)
	}
	var err error
	switch o := terminalOptions(e.Output); {
	case done.Durability != nil:
		err = printDurability(e, done.Durability, output.name())
	case done.Trace != nil:
		err = printTrace(e, done.Trace, output, nil)
	case output.name() == "json":
		_, err = term.Raw(e.Stdout).Write(done.Document)
	case output.name() == "text":
		o.Brief = brief
		err = text.Render(e.Stdout, done.Report, o)
	default:
		err = output.emitSaved(e, nil, done.Report.Run.Directory)
	}
	if err = errors.Join(err, done.Unsaved); err != nil {
		return exitFailed, err
	}
	return outcomeCode(done), nil
}

// outcomeCode is the exit code that goals and verdicts ask for.
func outcomeCode(done results.Outcome) int {
	switch {
	case done.Durability != nil:
		return durabilityCode(done.Durability)
	case done.Trace != nil:
		return traceCode(done.Trace)
	case len(done.Systems) > 0:
		code := exitOK
		for _, r := range done.Systems {
			code = max(code, reportCode(r))
		}
		return code
	}
	return reportCode(done.Report)
}

// reportCode is the exit code that goals and verdicts ask for.
func reportCode(r *model.Report) int {
	if code := goalCode(r); code != exitOK {
		return code
	}
	return verdictCode(r)
}

// verdictCode is 5 when any result is invalid, or when a rule says so of the run.
func verdictCode(r *model.Report) int {
	for _, f := range r.Findings {
		if f.Severity == model.SeverityInvalid {
			return exitInvalid
		}
	}
	return exitOK
}

// goalCode is 3 when a goal was missed, or is undecided though its number is not
// invalid: a gate lets through only what is shown to be good.
func goalCode(r *model.Report) int {
	for _, g := range r.Goals {
		bad := false
		for _, res := range r.Results {
			bad = bad || res.Workload == g.Workload && res.Direction == g.Direction && res.Verdict == model.Invalid
		}
		if g.Outcome == model.Missed || g.Outcome == model.Undecided && !bad {
			return exitGoal
		}
	}
	return exitOK
}
