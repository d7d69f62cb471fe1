package results

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/foreign/imported"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// A document uses two names for one system: the data under both belong to it, also after the originals
// are read again.
func TestTwoNamesOfOneSystem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	o := ImportOptions{Files: []string{"../../foreign/imported/testdata/labels.md"}, Into: dir, Same: []string{"Local-Path=kubernetes - local-path provider"},
		Experiment: model.Experiment{Scenario: imported.Scenario}, Now: time.Now}
	done, err := Import(o)
	if err != nil {
		t.Fatal(err)
	}
	if names := done.Report.Ranking.Systems; len(names) != 3 {
		t.Errorf("%d systems: %+v", len(names), names)
	}
	joined := filepath.Join(dir, "local-path")
	for range 2 {
		rec, err := store.Read(joined)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range rec.Imported.Figures {
			names = append(names, f.Workload)
		}
		if rec.Imported.System != "Local-Path" || !slices.Contains(names, "block-latency-process") || !slices.Contains(names, "pgbench-s250-c1") {
			t.Errorf("%s: %v", rec.Imported.System, names)
		}
		if _, err := Analyze(joined); err != nil {
			t.Fatal(err)
		}
	}
	for says, same := range map[string]string{"does not name two systems": "Longhorn", `there is no system "Nowhere"`: "Longhorn=Nowhere", "name two systems": "Docker=docker"} {
		o.Into, o.Same = filepath.Join(t.TempDir(), "other"), []string{same}
		if _, err := Import(o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("--same %s: %v, want %q", same, err, says)
		}
	}
}
