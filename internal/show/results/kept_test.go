package results

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A report is not replaced by one that holds less because the raw data were damaged since.
func TestASavedReportOutlivesDamagedSamples(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"missing": nil,
		"empty":   func([]byte) []byte { return nil },
		"halved":  func(all []byte) []byte { return all[:len(all)/2] },
	} {
		dir := savedRun(t, "run-1", model.Target{Kind: model.Directory, Path: "/srv"}, model.Workload{Name: "reads", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, Metric: model.IOPS},
			func(s *model.Sample) { s.Read = flowOf(1000, 1e-3) }, func(*model.StepResult) {})
		if done, err := Analyze(dir); err != nil || done.Unsaved != nil || len(done.Report.Results) != 1 {
			t.Fatalf("%s: %+v, %v", name, done, err)
		}
		before := contents(t, dir)
		samples := filepath.Join(dir, "samples.jsonl.zst")
		if damage == nil {
			if err := os.Remove(samples); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(samples, damage(before["samples.jsonl.zst"]), 0o600); err != nil {
			t.Fatal(err)
		}
		done, err := Analyze(dir)
		if err != nil || done.Report == nil || len(done.Document) == 0 || done.Unsaved == nil || !strings.Contains(done.Unsaved.Error(), "keeps the report saved before") {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
		for file, data := range contents(t, dir) {
			if file != "samples.jsonl.zst" && !bytes.Equal(data, before[file]) {
				t.Errorf("%s: %s was replaced", name, file)
			}
		}
		// One that was never saved is.
		if err := os.Remove(filepath.Join(dir, "report.json")); err != nil {
			t.Fatal(err)
		}
		if done, err := Analyze(dir); err != nil || done.Unsaved != nil {
			t.Errorf("%s, without a report: %v, %v", name, done.Unsaved, err)
		}
	}
}

// contents are the files of a directory.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	return files
}
