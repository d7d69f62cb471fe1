package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// sample reads one of the documents of reporttest.
func sample(t *testing.T, name string) jsonout.Document {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../internal/show/report/reporttest/testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonout.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestAnswersInABrowser checks the sentences at the top of pages: an invalid number is none of them, and
// a page with a comparison says one number for each side.
func TestAnswersInABrowser(t *testing.T) {
	t.Parallel()
	chromium, out := eyes(t, "answers")
	told := task{Chromium: chromium, Pages: map[string]string{}, Out: out}
	write := func(name string, render func(*bytes.Buffer) error) {
		var doc bytes.Buffer
		if err := render(&doc); err != nil {
			t.Fatal(err)
		}
		told.Pages[name] = filepath.Join(t.TempDir(), name+".html")
		if err := os.WriteFile(told.Pages[name], doc.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("grid", func(b *bytes.Buffer) error { return html.Render(b, sample(t, "grid").Report) })
	none := sample(t, "grid").Report
	for i := range none.Sweep.Points {
		none.Sweep.Points[i].Verdict = model.Invalid
	}
	write("none", func(b *bytes.Buffer) error { return html.Render(b, none) })
	c, sides := compared()
	write("compared", func(b *bytes.Buffer) error { return html.RenderComparison(b, c, sides[:]...) })
	drive(t, "answers.mjs", told)
}

// compared returns a comparison whose estimates differ from those of its runs, and the reports of these, which
// have budgets of the same workloads.
func compared() (*model.Comparison, [2]*model.Report) {
	c := credited()
	c.Rows = c.Rows[:1]
	c.Rows[0].A, c.Rows[0].B = sure(40600), sure(50600)
	c.Findings = []model.Finding{{Rule: "cpu", Severity: model.SeverityInvalid, Results: []string{"rand-read-iops"}, Message: "A and B: no CPU time left",
		Next: "stop other programs on this machine (see top), then loadline compare /srv/credit /srv/flat --max-time 60s"}}
	var sides [2]*model.Report
	for i, run := range []*model.RunInfo{&c.A, &c.B} {
		run.Workloads = []model.Workload{{Name: "rand-read-iops", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 64, Metric: model.IOPS}}
		own := sure([]float64{41300, 52700}[i])
		sides[i] = &model.Report{Schema: model.ReportSchema, Run: *run, Budgets: spent().Budgets, Results: []model.Result{{Workload: "rand-read-iops", Direction: model.Read, Metric: model.IOPS,
			Estimate: own, Verdict: model.Valid, Converged: true, Metrics: map[model.Metric]model.Estimate{model.IOPS: own}}}}
	}
	return c, sides
}
