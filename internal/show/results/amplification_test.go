package results

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// replicatedRun saves a run of 100 writes a second whose disks behind did 600, as --amplification does.
func replicatedRun(t *testing.T, behind amplification.Behind, device iotrace.Device) string {
	t.Helper()
	run := savedRun(t, "replicated", model.Target{Name: "/srv/a", Kind: model.Directory, Path: "/srv/a"}, model.Workload{Name: "write", Access: model.Random, Direction: model.Write, BlockSize: 4096, Depth: 1, Metric: model.IOPS},
		func(s *model.Sample) { s.Write = flowOf(100, 1e-3) }, func(*model.StepResult) {})
	file := filepath.Join(run, "run.json")
	var record map[string]any
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &record)
	}
	if err != nil {
		t.Fatal(err)
	}
	record["beside"] = map[string]any{"behind": behind}
	if data, err = json.Marshal(record); err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var seconds [][]iotrace.Sample
	for i := range 80 {
		seconds = append(seconds, []iotrace.Sample{{End: float64(i + 1), Seconds: 1, Device: "n/sda", Operation: iotrace.Write, Flow: model.Flow{IOs: 600}}})
	}
	if err := os.Rename(saveTraceOf(t, iotrace.Run{Method: iotrace.ByCounters, Seconds: 80, Devices: []iotrace.Device{device}}, seconds...), filepath.Join(run, amplification.Directory)); err != nil {
		t.Fatal(err)
	}
	return run
}

// What the disks behind a volume counted is in the report of the run, and in its explanation.
func TestAmplificationOfASavedRun(t *testing.T) {
	behind := amplification.Behind{Writes: 6, Reads: 1, Of: "3 replicas × 2 writes (data, revision counter)", Disks: []amplification.Disk{{Node: "n", Path: "/x", Device: "n/sda"}}}
	counted := iotrace.Device{Name: "n/sda", Number: "8:0", Counters: &iotrace.Counters{Writes: 48000}}
	run := replicatedRun(t, behind, counted)
	done, err := Analyze(run)
	if err != nil || len(done.Report.Budgets) != 1 || len(done.Report.Budgets[0].Amplification) != 1 {
		t.Fatalf("%v, %+v", err, done.Report)
	}
	if r := done.Report.Budgets[0].Amplification[0]; r.Value < 5.99 || r.Value > 6.01 || r.Expected != 6 || r.Idle != nil || !strings.Contains(string(done.Document), `"estimate": 6`) {
		t.Errorf("%+v", r)
	}
	x, _, err := Explain(ExplainOptions{Runs: []string{run}})
	if err != nil || x.Runs[0].Budgets[0].Amplification[0].Says != done.Report.Budgets[0].Amplification[0].Says {
		t.Errorf("%v, %+v", err, x)
	}
	// A disk that the record does not have did not do nothing.
	two := behind
	two.Disks = append(two.Disks, amplification.Disk{Node: "m", Path: "/x", Device: "m/sdb"})
	lacking, err := Analyze(replicatedRun(t, two, counted))
	if err != nil || lacking.Report.Budgets[0].Amplification[0].NotCounted != "the counters of m/sdb could not be read" {
		t.Errorf("%v, %+v", err, lacking.Report.Budgets[0].Amplification)
	}
	for want, spoil := range map[string]func(dir string) error{
		"the record of the disks' counters is missing": os.RemoveAll,
		"is damaged": func(dir string) error { return os.WriteFile(filepath.Join(dir, "trace.json"), []byte("{"), 0o600) },
		"ends early": func(dir string) error { return os.Truncate(filepath.Join(dir, "samples.jsonl.zst"), 20) },
	} {
		run := replicatedRun(t, behind, counted)
		if err := spoil(filepath.Join(run, amplification.Directory)); err != nil {
			t.Fatal(err)
		}
		done, err := Analyze(run)
		if err != nil || !strings.Contains(done.Report.Budgets[0].Amplification[0].NotCounted, want) {
			t.Errorf("%s: %v, %+v", want, err, done.Report.Budgets[0].Amplification)
		}
	}
	behind.NotCounted = "a right is missing"
	if done, err := Analyze(replicatedRun(t, behind, counted)); err != nil || done.Report.Budgets[0].Amplification[0].NotCounted != "a right is missing" {
		t.Errorf("%v", err)
	}
	behind.NotCounted = ""
	if done, err := Analyze(replicatedRun(t, behind, iotrace.Device{Name: "n/sda"})); err != nil || done.Report.Budgets[0].Amplification[0].NotCounted != "the counters of n/sda could not be read" {
		t.Errorf("%v", err)
	}
}
