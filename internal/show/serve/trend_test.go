package serve

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
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
