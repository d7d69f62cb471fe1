package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// What was taken out of the samples, or put into them, is noticed although the file itself can be read to its end.
func TestSamplesAreComparedWithTheRecord(t *testing.T) {
	twice := func(list []model.Sample) (double []model.Sample) {
		for _, s := range list {
			double = append(double, s, s)
		}
		return double
	}
	for name, c := range map[string]struct {
		status model.Status
		change func([]model.Sample) []model.Sample
		want   string
	}{
		"unchanged":                    {model.Complete, slices.Clone[[]model.Sample], ""},
		"cut off":                      {model.Complete, func(l []model.Sample) []model.Sample { return l[:13] }, "lacks 17 of the 30 samples that run.json counts"},
		"emptied":                      {model.Complete, func([]model.Sample) []model.Sample { return nil }, "lacks 30 of the 30"},
		"one left out":                 {model.Complete, func(l []model.Sample) []model.Sample { return slices.Delete(slices.Clone(l), 4, 5) }, "lacks 1 of the 30"},
		"twice":                        {model.Complete, twice, "has 30 samples more than once; samples.jsonl.zst has 30 samples that run.json does not count"},
		"one for another":              {model.Complete, func(l []model.Sample) []model.Sample { l = slices.Clone(l); l[4] = l[3]; return l }, "has 1 sample more than once"},
		"of a step that was not":       {model.Complete, func(l []model.Sample) []model.Sample { return append(slices.Clone(l), second(30)) }, "has 1 sample that run.json does not count"},
		"of the step that was killed":  {model.Running, func(l []model.Sample) []model.Sample { return append(slices.Clone(l), second(30)) }, ""},
		"not saved before it was full": {model.Failed, func(l []model.Sample) []model.Sample { return l[:13] }, ""},
		"twice, and interrupted":       {model.Interrupted, twice, "has 30 samples more than once; samples.jsonl.zst has 30 samples that run.json does not count"},
	} {
		t.Run(name, func(t *testing.T) {
			w := begin(t, t.TempDir())
			list := c.change(record(t, w, 30))
			if err := w.Finish(c.status, ""); err != nil {
				t.Fatal(err)
			}
			f, err := os.Create(filepath.Join(w.Dir(), samplesFile))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := writeSamples(f, list); err != nil {
				t.Fatal(err)
			}
			rec, err := Read(w.Dir())
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(rec.Damage, "; "); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("damage %q, want %q", got, c.want)
			}
		})
	}
}

// A run whose steps were too short for any sample is not damaged: nothing was measured in it.
func TestARunWithoutSamplesIsWhole(t *testing.T) {
	w := begin(t, t.TempDir())
	if err := w.Step(model.StepResult{Step: model.Step{Number: 1, Workload: "a"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	rec, err := Read(w.Dir())
	if err != nil || len(rec.Damage) > 0 {
		t.Errorf("damage %q, error %v", rec.Damage, err)
	}
}
