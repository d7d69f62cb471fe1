package trust

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// foreign is a source's record of one run, with or without its outcome.
func foreign(outcome bool) Evidence {
	rec := &model.Recorded{Imported: &model.Imported{Figures: []model.Figure{{Workload: "w", Direction: model.Read, Group: "fio", Outcome: outcome,
		Values: map[model.Metric]float64{model.IOPS: 1000}}}}}
	rec.Run.Status = model.Complete
	rec.Run.Steps = []model.StepResult{{Step: model.Step{Number: 1, Workload: "w", Seconds: 60}, Ended: 60}}
	rec.Plan.Workloads = []model.Workload{{Name: "w", Direction: model.Read, BlockSize: 4096, Depth: 1, Metric: model.IOPS}}
	return Evidence{Recorded: rec, Results: []model.Result{{Workload: "w", Direction: model.Read, Metric: model.IOPS, Estimate: model.Estimate{Unit: "1/s", Value: 1000, Low: 1000, High: 1000}}}}
}

// passed lists the rules that passed.
func passed(findings []model.Finding) (rules []string) {
	for _, f := range findings {
		if f.Severity == model.SeverityPassed {
			rules = add(rules, f.Rule)
		}
	}
	return rules
}

func TestOfAnImportOnlyEvidencePasses(t *testing.T) {
	if diff := cmp.Diff([]string{"interrupted"}, passed(Check(foreign(false)))); diff != "" {
		t.Errorf("a bare figure: %s", diff)
	}
	if diff := cmp.Diff([]string{"interrupted", "errors"}, passed(Check(foreign(true)))); diff != "" {
		t.Errorf("a source that reports failures: %s", diff)
	}
	ev := foreign(true)
	ev.Recorded.Run.Status = model.Unknown
	if diff := cmp.Diff([]string{"errors"}, passed(Check(ev))); diff != "" {
		t.Errorf("a source that does not tell how it ended: %s", diff)
	}
}

func TestImportedIsNeverValid(t *testing.T) {
	own := foreign(true)
	own.Recorded.Imported = nil
	if list := checkImported(own); len(list) != 0 {
		t.Errorf("a run of one's own: %+v", list)
	}
	bare := foreign(true)
	bare.Recorded.Imported.Remarks = []model.Finding{{Severity: model.SeverityNote, Message: "a remark"}}
	series := foreign(true)
	series.Recorded.Samples = []model.Sample{{Step: 1, End: 1, Seconds: 1, Read: &model.Flow{IOs: 1000}}}
	precise := foreign(true)
	precise.Recorded.Samples, precise.Results[0].Confidence = series.Recorded.Samples, 0.95
	for want, ev := range map[string]Evidence{
		"imported: no raw series": bare, "imported: the source contains each second, so there are intervals, but": precise,
		"imported: the source contains each second, but too few of them for an interval, and": series,
	} {
		list := checkImported(ev)
		if len(list) == 0 || list[0].Severity != model.SeverityWarning || !strings.HasPrefix(list[0].Message, want) || !cmp.Equal(list[0].Results, []string{"w"}) || list[0].Next == "" {
			t.Errorf("%s: %+v", want, list)
		}
		Apply(ev.Results, Check(ev))
		if ev.Results[0].Verdict != model.Suspect {
			t.Errorf("%s: %s", want, ev.Results[0].Verdict)
		}
	}
	if list := checkImported(bare); list[len(list)-1].Message != "a remark" {
		t.Errorf("the reader's remark is lost: %+v", list)
	}
}

// A reader of a document cannot repeat its measurement, so no command is given that would.
func TestAdviceOnAnImport(t *testing.T) {
	failed := foreign(true)
	failed.Recorded.Run.Steps[0].Error = "250000 of 1000000 transactions never ran"
	database := foreign(true)
	database.Results[0].Metric = model.Transactions
	for name, c := range map[string]struct {
		ev   Evidence
		rule string
		want string
	}{
		"a failed test": {failed, "errors", "run the test again where it was measured, and import the new output"},
		"fio's":         {foreign(true), "imported", "measure it with Loadline: loadline run TARGET"},
		"pgbench's":     {database, "imported", "measure it with Loadline: loadline app postgres TARGET"},
	} {
		for _, f := range Check(c.ev) {
			if f.Rule == c.rule && !strings.HasSuffix(f.Next, c.want) {
				t.Errorf("%s: %q, want %q", name, f.Next, c.want)
			}
		}
	}
}
