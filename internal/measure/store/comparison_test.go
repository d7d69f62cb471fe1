package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// A run or comparison that was refused before anything was measured is removed; anything with a step
// on either side, and anything that is not a run, stays.
func TestOnlyWhatMeasuredNothingIsWithdrawn(t *testing.T) {
	run := func(parent, name string, steps int) {
		t.Helper()
		w, err := Create(parent, time.Now, Start{Directory: name, Plan: model.Plan{Schema: model.PlanSchema, Workloads: []model.Workload{{Name: "w", Direction: model.Read}}}, Run: model.Run{ID: name, Started: time.Now()}})
		if err != nil {
			t.Fatal(err)
		}
		for range steps {
			if err := w.Step(model.StepResult{Step: model.Step{Number: 1, Workload: "w"}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Finish(model.Failed, "refused"); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	run(folder, "nothing", 0)
	run(folder, "measured", 1)
	for name, steps := range map[string][2]int{"neither": {0, 0}, "one": {0, 1}} {
		dir, err := CreateComparison(folder, name)
		if err != nil {
			t.Fatal(err)
		}
		for i, side := range Sides {
			run(dir, side, steps[i])
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "else"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"nothing": true, "measured": false, "neither": true, "one": false, "else": false, "none": false} {
		dir := filepath.Join(folder, name)
		_, before := os.Stat(dir)
		got := false
		if f, err := Open(dir); err == nil {
			got = f.Withdraw()
			_ = f.Close()
		}
		if got != want {
			t.Errorf("%s: %v", name, got)
		}
		if _, err := os.Stat(dir); (err == nil) != (before == nil && !want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
