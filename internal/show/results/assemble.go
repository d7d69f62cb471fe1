package results

import (
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/judge/capacity"
	"github.com/loadline/loadline/internal/judge/trust"
	"github.com/loadline/loadline/internal/model"
)

// Assemble computes the report of a run: estimates first, then findings on them.
func Assemble(rec *model.Recorded) *model.Report { return assembleOn(rec, nil) }

// assembleOn is Assemble with the storage that the target is built on, if that was measured.
func assembleOn(rec *model.Recorded, baseline *trust.Side) *model.Report {
	analyze.ResolveOffered(rec)
	results := analyze.Results(rec)
	evidence := trust.Evidence{Recorded: rec, Results: results, Baseline: baseline}
	findings := trust.Check(evidence)
	trust.Apply(results, findings)
	info := model.RunInfo{
		ID: rec.Run.ID, Started: rec.Run.Started, Finished: rec.Run.Finished, Status: rec.Run.Status, Reason: rec.Run.Reason,
		Command: rec.Run.Command, Again: rec.Run.Again, Note: rec.Plan.Experiment.Note, Labels: rec.Labels(), Target: rec.Plan.Volume.Target, Volume: rec.Plan.Volume, Volumes: rec.Plan.Volumes,
		Schedule: rec.Plan.Schedule, Profile: rec.Plan.Experiment.Profile, Prepare: rec.Run.Prepare,
		Environment: rec.Environment, Tools: rec.Run.Tools, Workloads: rec.Plan.Workloads, Jobs: rec.Jobs, Directory: rec.Directory,
	}
	if im := rec.Imported; im != nil {
		info.Imported = &model.Import{System: im.System, Sources: im.Sources, At: im.At, Measured: im.Measured, Series: len(rec.Samples) > 0}
	}
	if info.Profile == "" {
		info.Profile = rec.Plan.Experiment.Job
	}
	info.MeasuredSeconds = measuredSeconds(rec.Run.Steps)
	return &model.Report{Schema: model.ReportSchema, Run: info, Results: results, Findings: findings, Goals: decideGoals(evidence, findings),
		Courses: append(analyze.Courses(rec), analyze.FigureCourses(rec)...), Sweep: analyze.Sweep(rec, results), Scales: measuredScales(rec, results),
		Saturation: saturations(rec, results, findings), Durability: rec.Durability}
}

// measuredSeconds is how long the repeats took, with their ramps and starts: what --max-time limits. Several workers make one
// repeat together. Waits until the storage has settled, and measurements beside the load, are not counted.
func measuredSeconds(steps []model.StepResult) (sum float64) {
	ended := map[int]float64{}
	for _, s := range steps {
		n := s.Step.Number
		sum += max(0, s.Ended-s.Started-ended[n])
		ended[n] = max(ended[n], s.Ended-s.Started)
	}
	return sum
}

// measuredScales is the outcome of loading several volumes at once, with its laws. Points to which no
// law can be fitted have none.
func measuredScales(rec *model.Recorded, results []model.Result) []model.Scale {
	scales := analyze.Scales(rec, results)
	for i := range scales {
		if laws, err := capacity.Fit(&scales[i]); err == nil {
			scales[i].Laws = laws
		}
	}
	return scales
}

// below is the other side of a run in the form that the rules use; nil if the run is not the target of
// a run with a baseline.
func below(rec, baseline *model.Recorded, report *model.Report) *trust.Side {
	if rec.Plan.Experiment.Scenario != model.OnBaseline || rec.Run.Side != model.SideB || baseline == nil {
		return nil
	}
	return &trust.Side{Name: baseline.Plan.Volume.Target.Name, Results: report.Results,
		Storage: baseline.Environment.Storage, Cap: baseline.Plan.Experiment.Cap}
}
