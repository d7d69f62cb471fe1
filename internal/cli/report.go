package cli

import (
	"errors"

	"github.com/loadline/loadline/internal/analyze"
	"github.com/loadline/loadline/internal/capacity"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/term"
	"github.com/loadline/loadline/internal/report/text"
	"github.com/loadline/loadline/internal/store"
	"github.com/loadline/loadline/internal/trust"
)

// finish reads a run back, computes its report, saves it beside the raw data,
// prints it (brief leaves out the head), and returns the exit code that the verdicts ask for. It reads what
// was saved and not what is in memory, so that run and analyze cannot disagree.
func finish(e *env.Env, dir, output string, brief bool) (int, error) {
	rec, err := store.Read(dir)
	if err != nil {
		return exitFailed, err
	}
	return finishRecorded(e, rec, output, brief)
}

// finishRecorded is finish of what was read. A report that cannot be saved is printed all
// the same.
func finishRecorded(e *env.Env, rec *model.Recorded, output string, brief bool) (int, error) {
	f, err := store.Open(rec.Directory)
	if err != nil {
		return exitFailed, err
	}
	defer f.Close()
	f.Tidy()
	r := assemble(rec)
	doc, unsaved := saveReport(f, r)
	if unsaved != nil && !isUnsaved(unsaved) {
		return exitFailed, unsaved
	}
	if unsaved != nil {
		// It is not there to be named.
		r.Run.Directory = ""
	}
	for _, d := range rec.Damage {
		sayLine(e.Stderr, "loadline: %s: %s", rec.Directory, d)
	}
	if output == "json" {
		_, err = term.Raw(e.Stdout).Write(doc)
	} else {
		o := terminalOptions(e.Output)
		o.Brief = brief
		err = text.Render(e.Stdout, r, o)
	}
	if err = errors.Join(err, unsaved); err != nil {
		return exitFailed, err
	}
	return reportCode(r), nil
}

// assemble computes the report of a run: estimates first, then findings on them.
func assemble(rec *model.Recorded) *model.Report { return assembleOn(rec, nil) }

// assembleOn is assemble with the storage that the target is built on, if that was
// measured.
func assembleOn(rec *model.Recorded, baseline *trust.Side) *model.Report {
	analyze.ResolveOffered(rec)
	results := analyze.Results(rec)
	findings := trust.Check(trust.Evidence{Recorded: rec, Results: results, Baseline: baseline})
	trust.Apply(results, findings)
	info := model.RunInfo{
		ID: rec.Run.ID, Started: rec.Run.Started, Finished: rec.Run.Finished, Status: rec.Run.Status, Reason: rec.Run.Reason,
		Command: rec.Run.Command, Note: rec.Plan.Experiment.Note, Target: rec.Plan.Volume.Target, Volume: rec.Plan.Volume, Volumes: rec.Plan.Volumes,
		Schedule: rec.Plan.Schedule, Profile: rec.Plan.Experiment.Profile, Prepare: rec.Run.Prepare,
		Environment: rec.Environment, Tools: rec.Run.Tools, Workloads: rec.Plan.Workloads, Jobs: rec.Jobs, Directory: rec.Directory,
	}
	if im := rec.Imported; im != nil {
		info.Imported = &model.Import{System: im.System, Sources: im.Sources, At: im.At, Measured: im.Measured, Series: len(rec.Samples) > 0}
	}
	if info.Profile == "" {
		info.Profile = rec.Plan.Experiment.Job
	}
	if n := len(rec.Run.Steps); n > 0 {
		info.MeasuredSeconds = rec.Run.Steps[n-1].Ended - rec.Run.Steps[0].Started
	}
	return &model.Report{Schema: model.ReportSchema, Run: info, Results: results, Findings: findings, Goals: decideGoals(rec, results),
		Courses: append(analyze.Courses(rec), analyze.FigureCourses(rec)...), Sweep: analyze.Sweep(rec, results), Scales: measuredScales(rec, results), Durability: rec.Durability}
}

// measuredScales is the outcome of loading several volumes at once, with its laws. Points
// that no law can be fitted to stay points.
func measuredScales(rec *model.Recorded, results []model.Result) []model.Scale {
	scales := analyze.Scales(rec, results)
	for i := range scales {
		if laws, err := capacity.Fit(&scales[i]); err == nil {
			scales[i].Laws = laws
		}
	}
	return scales
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
