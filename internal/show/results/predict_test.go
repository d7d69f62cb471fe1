package results

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/judge/explain"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// flowOf is n operations in a second, of the given duration in seconds each.
func flowOf(n uint64, seconds float64) *model.Flow {
	f := &model.Flow{IOs: n, Bytes: n * 8192, LatencySum: float64(n) * seconds, Max: seconds}
	f.Histogram.Add(histogram.BucketOf(uint64(seconds*1e9)), n)
	return f
}

// savedRun saves a run of one workload in three repeats of ten seconds.
func savedRun(t *testing.T, id string, target model.Target, w model.Workload, second func(s *model.Sample), step func(s *model.StepResult)) string {
	t.Helper()
	v := model.Volume{Target: target, Engine: "psync", Direct: true, Size: 1 << 30}
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	run, err := store.Create(t.TempDir(), time.Now, store.Start{
		Environment: model.Environment{CPUs: 2, Storage: model.Storage{Filesystem: "ext4", Device: "vdb", Bypassed: new(true)}},
		Plan:        model.Plan{Schema: model.PlanSchema, Workloads: []model.Workload{w}, Volume: v, Schedule: model.Schedule{Mode: model.Rounds, Repeat: 10, MinRounds: 3, Precision: 0.05}},
		Run:         model.Run{ID: id, Started: at, Clock: at}})
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(run.Prepared(model.Preparation{App: &model.AppState{Name: "postgres", Scale: 10}}))
	for n := 1; n <= 3; n++ {
		began := 20 * float64(n)
		for i := 1; i <= 10; i++ {
			s := model.Sample{Step: n, End: began + float64(i), Seconds: 1}
			second(&s)
			check(run.Sample(s))
		}
		s := model.StepResult{Step: model.Step{Number: n, Round: n, Workload: w.Name, Seconds: 10}, Started: began, Ended: began + 10}
		step(&s)
		check(run.Step(s))
	}
	check(run.Finish(model.Complete, ""))
	return run.Dir()
}

// A run of a storage whose flushes take 4 ms, with 0.5 ms for the write, and one of PostgreSQL whose
// transactions take 2 ms, of which 0.8 are a flush, 0.7 on a processor and 0.1 reads: 4.5 ms and 1.1.
func TestPredictFromSavedRuns(t *testing.T) {
	log := model.Workload{Name: "log", Access: model.Sequential, Direction: model.Write, BlockSize: 8192, Depth: 1, Sync: "fdatasync", Metric: model.IOPS}
	from := savedRun(t, "storage", model.Target{Name: "/new", Kind: model.Directory, Path: "/new"}, log,
		func(s *model.Sample) { s.Write, s.Sync = flowOf(222, 0.5e-3), flowOf(222, 4e-3) }, func(*model.StepResult) {})
	tpcb := model.Workload{Name: "tpcb-c1", Access: model.Random, Direction: model.Write, BlockSize: 8192, Depth: 1, Metric: model.Transactions,
		App: model.AppLoad{Tool: "pgbench", Threads: 1, Options: "--builtin=tpcb-like"}}
	like := savedRun(t, "postgres", model.Target{Name: "/old", Kind: model.Postgres, Path: "/old"}, tpcb,
		func(s *model.Sample) { s.Write = flowOf(500, 2e-3) },
		func(s *model.StepResult) {
			n := 5000.0
			count := func(each float64) *float64 { v := n * each; return &v }
			s.App = &model.AppCounts{Transactions: 5000, Seconds: 10, LatencySum: 10, Flushes: count(1), FlushSeconds: count(0.8e-3), LogBytes: count(6000), Hits: count(50),
				Reads: count(0.001), ReadSeconds: count(0.1e-3), Processor: &model.AppProcessor{Seconds: 10, ServerCPU: n * 0.5e-3, ClientCPU: n * 0.2e-3}}
		})
	p, remarks, err := Predict(PredictOptions{From: from, Like: like, Ask: explain.Ask{Clients: []int{1, 2}}})
	if err != nil || len(remarks) > 0 {
		t.Fatal(err, remarks)
	}
	near(t, "flush", p.Flushes[0].Value, 4.5e-3, 0.01e-3)
	near(t, "other work", p.Other.Value, 0.4e-3, 0.01e-3)
	if x := p.Points[0].Rate; math.Abs(x.Value*5.6e-3-1) > 0.02 || x.Low > x.Value*math.Exp(-0.15) {
		t.Errorf("%+v", x)
	}
	if p.From.Directory != from || p.Like.Directory != like || p.Scale != 10 || p.Like.Processors != 2 || p.Read != nil {
		t.Errorf("%+v", p)
	}
	// Something that is not a run is refused in terms of this verb.
	file := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = Predict(PredictOptions{From: file, Like: like})
	if e := modeltest.Refused(t, err); !strings.Contains(e.Message, "loadline predict takes the raw data of a run") {
		t.Error(e.Message)
	}
	for _, o := range []PredictOptions{{From: from, Like: from}, {From: like, Like: from}} {
		if _, _, err := Predict(o); err == nil {
			t.Errorf("%+v is not refused", o)
		}
	}
}
