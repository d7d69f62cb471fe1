package csvout

import (
	"io"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// TestLabelsAreColumns checks that each label of any run is a column after the table's own, empty
// for a run without it, and not a formula in a spreadsheet.
func TestLabelsAreColumns(t *testing.T) {
	one, two, scaled := reporttest.Report("quick"), reporttest.Report("quick"), reporttest.Report("scale")
	one.Run.ID, two.Run.ID = "one", "two"
	one.Run.Labels = model.Labels{"env": "prod", "a": "=1+1"}
	two.Run.Labels = model.Labels{"env": "staging, \"2\"", "no name\n": "x"}
	want := map[string][2]string{"one": {"'=1+1", "prod"}, "two": {"", "staging, \"2\""}}
	with := withLabels(EstimateColumns, []string{"a", "env"}, labelColumn)
	rows := parsed(t, reporttest.Written(t, func(w io.Writer) error { return WriteEstimates(w, one, two) }), with)
	if len(rows) < 10 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		if got := [2]string{row["label_a"], row["label_env"]}; got != want[row["run"]] {
			t.Errorf("%s: %q", row["run"], got)
		}
	}
	c := reporttest.Comparisons()["comparison"]
	c.A.Labels, c.B.Labels = model.Labels{"disk": "old"}, model.Labels{"disk": "new"}
	for _, row := range parsed(t, reporttest.Written(t, func(w io.Writer) error { return WriteComparison(w, c) }), withLabels(ComparisonColumns, []string{"disk"}, "label_a_", "label_b_")) {
		if row["label_a_disk"] != "old" || row["label_b_disk"] != "new" {
			t.Errorf("%v", row)
		}
	}
	second := model.Sample{Step: 1, End: 1, Seconds: 1, Read: &model.Flow{IOs: 5}}
	seconds := []*model.Recorded{{Run: model.Run{ID: "one", Labels: one.Run.Labels}, Samples: []model.Sample{second}},
		{Run: model.Run{ID: "two"}, Plan: model.Plan{Experiment: model.Experiment{Labels: model.Labels{"env": "staging, \"2\""}}}, Samples: []model.Sample{second}}}
	for _, row := range parsed(t, reporttest.Written(t, func(w io.Writer) error { return WriteSamples(w, seconds...) }), withLabels(SampleColumns, []string{"a", "env"}, labelColumn)) {
		if got := [2]string{row["label_a"], row["label_env"]}; got != want[row["run"]] {
			t.Errorf("sample of %s: %q", row["run"], got)
		}
	}
	scaled.Run.Labels = model.Labels{"env": "prod"}
	for _, row := range parsed(t, reporttest.Written(t, func(w io.Writer) error { return WriteScales(w, scaled) }), withLabels(ScaleColumns, []string{"env"}, labelColumn)) {
		if row["label_env"] != "prod" {
			t.Errorf("%v", row)
		}
	}
	for _, row := range parsed(t, reporttest.Written(t, func(w io.Writer) error { return WriteLaws(w, scaled) }), withLabels(LawColumns, []string{"env"}, labelColumn)) {
		if row["label_env"] != "prod" {
			t.Errorf("%v", row)
		}
	}
}
