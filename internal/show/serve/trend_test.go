package serve

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

func TestATrendIsOneResultOverRunsOldestFirst(t *testing.T) {
	s := newSite(t, nil)
	three(s)
	// A running run has no result yet, so it is left out.
	live := s.begin(s.folder, "live", nil)
	defer live.Finish(model.Complete, "")
	read := func(query string) (paths []string, out trend) {
		t.Helper()
		code, body, _ := s.get("/api/trend?"+query, nil)
		if err := json.Unmarshal([]byte(body), &out); err != nil || code != http.StatusOK {
			t.Fatalf("trend?%s: %d %v %s", query, code, err, body)
		}
		for _, p := range out.Points {
			paths = append(paths, p.Path)
		}
		return paths, out
	}
	paths, whole := read("workload=w1&direction=read")
	if diff := cmp.Diff([]string{"one", "three", "two"}, paths); diff != "" || whole.Metric != model.IOPS {
		t.Errorf("%s %s", diff, whole.Metric)
	}
	if p := whole.Points[0]; p.Started != "2026-01-01T00:00:00Z" || p.Value < whole.Points[1].Value || p.Note != "Before the Upgrade" {
		t.Errorf("the first point is %+v, the second %+v", p, whole.Points[1])
	}
	if paths, _ := read("workload=w1&direction=read&q=after"); !cmp.Equal(paths, []string{"three"}) {
		t.Errorf("of those that the search finds: %v", paths)
	}
	if paths, _ := read("workload=none&direction=read"); paths != nil {
		t.Errorf("a result that no run has: %v", paths)
	}
	for _, query := range []string{"", "workload=w1", "workload=w1&direction=sideways", "workload=w1&direction=READ", "workload=w1&direction=read&sort=colour"} {
		if code, body, _ := s.get("/api/trend?"+query, nil); code != http.StatusBadRequest || !strings.Contains(body, "error") {
			t.Errorf("trend?%s: %d %s", query, code, body)
		}
	}
}

// Imported numbers of unknown age have no place in an order of time; in the list they stand where they were imported.
func TestWhatIsNotDatedIsInNoTrend(t *testing.T) {
	s := newSite(t, nil)
	three(s)
	r := &model.Report{Schema: model.ReportSchema, Run: model.RunInfo{ID: "old", Started: day(2).Add(time.Hour), Target: model.Target{Name: "old", Kind: model.Foreign}, Imported: &model.Import{At: day(2).Add(time.Hour)}},
		Results: []model.Result{{Workload: "w1", Direction: model.Read, Metric: model.IOPS, Estimate: model.Estimate{Unit: "1/s", Value: 1}, Verdict: model.Suspect}}}
	dir := filepath.Join(s.folder, "old")
	var doc bytes.Buffer
	s.check(jsonout.Write(&doc, r))
	s.check(os.MkdirAll(dir, 0o755))
	s.check(store.WriteFile(dir, store.ReportFile, doc.Bytes()))
	s.saveCard(dir, store.CardOfReport(r), doc.Len())
	if l, paths := s.list(""); !cmp.Equal(paths, []string{"two", "old", "three", "one"}) || !l.Runs[1].Started.IsZero() || !l.Runs[1].Imported.Equal(day(2).Add(time.Hour)) {
		t.Errorf("the list is %v: %+v", paths, l.Runs[1].Card)
	}
	if _, paths := s.list("order=up"); !cmp.Equal(paths, []string{"one", "three", "old", "two"}) {
		t.Errorf("the list upwards is %v", paths)
	}
	var out trend
	if _, body, _ := s.get("/api/trend?workload=w1&direction=read", nil); json.Unmarshal([]byte(body), &out) != nil || len(out.Points) != 3 || out.Undated != 1 {
		t.Errorf("the trend has %d points, and %d undated", len(out.Points), out.Undated)
	}
}

func TestSamplesComeAsCSV(t *testing.T) {
	s := newSite(t, nil)
	s.run("one", 300, func(*store.Start) {})
	code, body, header := s.get("/api/samples?run=one", nil)
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if code != http.StatusOK || err != nil || len(rows) < 3 || rows[0][1] != "workload" {
		t.Fatalf("%d %v %.200s", code, err, body)
	}
	if disposition := header.Get("Content-Disposition"); !strings.Contains(disposition, "one-samples.csv") {
		t.Errorf("it is saved as %q", disposition)
	}
	for _, path := range []string{"nowhere", "../one", ""} {
		if code, body, _ := s.get("/api/samples?run="+path, nil); code != http.StatusNotFound || !strings.Contains(body, "error") {
			t.Errorf("samples of %q: %d %s", path, code, body)
		}
	}
}
