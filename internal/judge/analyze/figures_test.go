package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// foreign is a recording of which only figures are known; each of its values is one run of the
// workload.
func foreign(system string, seconds float64, figures map[string][]float64) *model.Recorded {
	rec := &model.Recorded{Imported: &model.Imported{System: system}}
	rec.Plan.Schedule.Mode = model.Fixed
	for _, name := range []string{"a", "b", "c"} {
		if len(figures[name]) == 0 {
			continue
		}
		rec.Plan.Workloads = append(rec.Plan.Workloads, model.Workload{Name: name, Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, Metric: model.IOPS})
		for _, v := range figures[name] {
			rec.Run.Steps = append(rec.Run.Steps, model.StepResult{Step: model.Step{Number: len(rec.Run.Steps) + 1, Workload: name, Round: 1, Seconds: seconds}})
			rec.Imported.Figures = append(rec.Imported.Figures, model.Figure{Workload: name, Direction: model.Read, Group: "g", Seconds: seconds,
				Values: map[model.Metric]float64{model.IOPS: v}, Tail: []model.TailPoint{{Latency: 1e-3, Above: 1}, {Latency: 2e-3, Above: 0.5}}})
		}
	}
	return rec
}

// side is a recording with its results, without findings.
func side(rec *model.Recorded) Measured {
	r := &model.Report{Results: Results(rec)}
	r.Run.Target.Name = rec.Imported.System
	for i := range r.Results {
		r.Results[i].Verdict = model.Suspect
	}
	return Measured{Recorded: rec, Report: r}
}

func TestFiguresBecomeResults(t *testing.T) {
	results := Results(foreign("x", 60, map[string][]float64{"a": {100}, "b": {100, 121}}))
	if len(results) != 2 {
		t.Fatalf("%d results", len(results))
	}
	single, twice := results[0], results[1]
	if single.Value != 100 || single.Confidence != 0 || single.Low != 100 || single.High != 100 || single.Repeats != 1 {
		t.Errorf("a single figure has no interval: %+v", single)
	}
	// The geometric mean of 100 and 121 is 110, and two runs are little evidence: t is 12.7.
	if twice.Value < 109.99 || twice.Value > 110.01 || twice.Confidence == 0 || twice.Low > 40 || twice.High < 300 || twice.Repeats != 2 {
		t.Errorf("two figures have a wide interval: %+v", twice)
	}
	if diff := cmp.Diff([]float64{100, 121}, twice.RepeatValues); diff != "" {
		t.Error(diff)
	}
}

func TestFigureCoursesAreOnlyOfWhatHasNoSeconds(t *testing.T) {
	rec := foreign("x", 60, map[string][]float64{"a": {100}, "b": {100}})
	rec.Samples = []model.Sample{{Step: 2, End: 1, Seconds: 1, Read: &model.Flow{IOs: 100}}}
	var names []string
	for _, c := range FigureCourses(rec) {
		names = append(names, c.Workload)
	}
	if diff := cmp.Diff([]string{"a"}, names); diff != "" {
		t.Error(diff)
	}
}
