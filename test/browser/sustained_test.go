package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/words"
)

// credited returns a comparison of a disk with burst credits and one without: some rows have
// sustained rates, both sides have a note about the writes of one, and one row is unclear.
func credited() *model.Comparison {
	side := func(name string) model.RunInfo {
		target := model.Target{Name: name, Kind: model.Directory, Path: name}
		return model.RunInfo{ID: name, Status: model.Complete, Target: target, Volume: model.Volume{Target: target}}
	}
	row := func(workload string, d model.Direction, m model.Metric, sustained bool) model.Row {
		return model.Row{Workload: workload, Direction: d, Metric: m, A: sure(500), B: sure(1000), Ratio: sure(2), Verdict: model.Better, Trust: model.Valid, Margin: 0.05, Blocks: 9, Sustained: sustained}
	}
	open := row("rand-read-lat", model.Read, model.Latency, false)
	open.Verdict, open.Needed, open.Narrow, open.Ratio = model.Unclear, 40, 0.05, model.Estimate{Value: 1.03, Low: 0.97, High: 1.09, Confidence: 0.95}
	const burst = "burst: 2.00k IOPS for 30 s, then 500 IOPS; the credit refills in about 2 h"
	return &model.Comparison{Schema: model.ComparisonSchema, A: side("/srv/credit"), B: side("/srv/flat"), Method: model.Paired, Comparable: true, Margins: model.Margins{Rate: 0.05, P99: 0.1},
		Rows: []model.Row{row("rand-read-iops", model.Read, model.IOPS, false), row("rand-write-iops", model.Write, model.IOPS, true), row("rand-write-iops", model.Write, model.P99, true),
			row("seq-write", model.Write, model.IOPS, true), open},
		Findings: []model.Finding{
			{Rule: "sustained", Severity: model.SeverityNote, Results: []string{"rand-write-iops"}, Message: "A: " + burst},
			{Rule: "sustained", Severity: model.SeverityNote, Results: []string{"rand-write-iops"}, Message: "B: " + burst + evil},
			{Rule: "sustained", Severity: model.SeverityPassed, Results: []string{"rand-read-iops"}, Message: "A: held"},
		}}
}

// On the page, the rows of sustained rates say so, with the bursts that they leave out, and an unclear
// row says why, in the words of the text report.
func TestSustainedRowsInABrowser(t *testing.T) {
	t.Parallel()
	chromium, out := eyes(t, "sustained")
	c := credited()
	var doc bytes.Buffer
	page := filepath.Join(t.TempDir(), "sustained.html")
	if err := html.RenderComparison(&doc, c, &model.Report{Schema: model.ReportSchema, Run: c.A}, &model.Report{Schema: model.ReportSchema, Run: c.B}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, doc.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	said := struct {
		task
		Notes []string `json:"notes"`
		// Rows has the numbers of each row's notes.
		Rows [][]int `json:"rows"`
		// Sustained says which rows are of sustained rates.
		Sustained []bool `json:"sustained"`
	}{task: task{Chromium: chromium, Pages: map[string]string{"sustained": page}, Out: out}, Rows: make([][]int, len(c.Rows))}
	for _, r := range c.Rows {
		said.Sustained = append(said.Sustained, r.Sustained)
	}
	for i, n := range words.Notes(c) {
		said.Notes = append(said.Notes, n.Text)
		for _, r := range n.Rows {
			said.Rows[r] = append(said.Rows[r], i+1)
		}
	}
	drive(t, "sustained.mjs", said)
}
