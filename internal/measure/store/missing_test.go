package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// Samples that are missing are said to be missing, once.
func TestMissingSamples(t *testing.T) {
	w, err := Create(t.TempDir(), time.Now, Start{Plan: model.Plan{Schema: model.PlanSchema}, Run: model.Run{ID: "run-1"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Step(model.StepResult{Step: model.Step{Number: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(w.Dir(), samplesFile)); err != nil {
		t.Fatal(err)
	}
	rec, err := Read(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"samples.jsonl.zst is missing"}; !slices.Equal(rec.Damage, want) {
		t.Errorf("%q, not %q", rec.Damage, want)
	}
}
