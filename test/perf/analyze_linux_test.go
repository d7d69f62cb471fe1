package perf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// The largest run that was designed for.
const (
	analyzeWorkers   = 15
	analyzeWorkloads = 14
	analyzeSeconds   = 600
	// analyzeTimes is how often it is analysed.
	analyzeTimes = 5
)

// savedRun writes a run directory as the engine does, with about 150 buckets in
// each second's histogram, and returns its path.
func savedRun(b *testing.B) string {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	plan := model.Plan{Schema: model.PlanSchema, Schedule: model.Schedule{Mode: model.Fixed, Repeat: analyzeSeconds, MinRounds: 1, Precision: 0.05}}
	plan.Volume = model.Volume{Target: model.Target{Name: "fake:", Kind: model.Fake}, Engine: "fake", Direct: true, Size: 1 << 40}
	for i := range analyzeWorkloads {
		w := model.Workload{Name: fmt.Sprintf("w%02d", i), Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 32, Metric: model.IOPS}
		if i%2 == 1 {
			w.Direction = model.Write
		}
		plan.Workloads = append(plan.Workloads, w)
		plan.Steps = append(plan.Steps, model.Step{Number: i + 1, Round: 1, Workload: w.Name, Seconds: analyzeSeconds})
	}
	out, err := store.Create(b.TempDir(), time.Now, store.Start{Plan: plan, Run: model.Run{ID: "largest", Started: time.Now()}})
	if err != nil {
		b.Fatal(err)
	}
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	check(out.Prepared(model.Preparation{Proof: model.Proof{Method: "none"}}))
	for i, step := range plan.Steps {
		for second := range analyzeSeconds {
			for worker := range analyzeWorkers {
				s := model.Sample{Step: step.Number, Worker: worker, Seconds: 1,
					End: float64(i*analyzeSeconds+second) + 1 + 0.02*float64(worker) + 1e-4*r.Float64()}
				flow := busySecond(r)
				if plan.Workloads[i].Direction == model.Read {
					s.Read = flow
				} else {
					s.Write = flow
				}
				check(out.Sample(s))
			}
		}
		for worker := range analyzeWorkers {
			check(out.Step(model.StepResult{Step: step, Worker: worker, Started: float64(i * analyzeSeconds), Ended: float64((i + 1) * analyzeSeconds)}))
		}
	}
	check(out.Finish(model.Complete, ""))
	return out.Dir()
}

// busySecond returns a lognormal second of some 50,000 I/Os.
func busySecond(r *rand.Rand) *model.Flow { return secondAt(r, 1+0.05*r.NormFloat64()) }

// secondAt is busySecond at a given speed, where 1 is the usual speed.
func secondAt(r *rand.Rand, speed float64) *model.Flow {
	f := &model.Flow{}
	for z := -3.0; z < 4; z += 0.045 {
		ns := 1.6e6 / speed * math.Exp(0.5*z+0.01*r.Float64())
		n := uint64(1 + r.Float64()*5 + 1000*math.Exp(-z*z/2))
		f.Histogram.Add(histogram.BucketOf(uint64(ns)), n)
		f.IOs += n
		f.LatencySum += float64(n) * ns / 1e9
	}
	f.Bytes, f.Max = 4096*f.IOs, f.Histogram.Max()
	return f
}

// BenchmarkAnalyze times the whole command "loadline analyze" on the largest
// run: 15 workers × 14 workloads × 10 minutes of seconds.
func BenchmarkAnalyze(b *testing.B) {
	loadline, dir := program(b), savedRun(b)
	info, err := os.Stat(filepath.Join(dir, "samples.jsonl.zst"))
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		var took, cpu []float64
		var memory int64
		for range analyzeTimes {
			cmd := exec.Command(loadline, "analyze", dir)
			start := time.Now()
			out, err := cmd.CombinedOutput()
			// 5 is a verdict on the numbers, which are made up.
			if code := cmd.ProcessState.ExitCode(); err != nil && code != 5 {
				b.Fatalf("loadline analyze: %v\n%s", err, out)
			}
			took = append(took, time.Since(start).Seconds())
			cpu = append(cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
			memory = max(memory, peak(cmd.ProcessState))
		}
		slices.Sort(took)
		slices.Sort(cpu)
		samples := analyzeWorkers * analyzeWorkloads * analyzeSeconds
		median := took[len(took)/2]
		fmt.Printf("\nloadline analyze, %d workers × %d workloads × %d s = %d samples, %.0f MB compressed:\n", analyzeWorkers, analyzeWorkloads,
			analyzeSeconds, samples, float64(info.Size())/1e6)
		fmt.Printf("%.2f s (median of %d, %.2f to %.2f s; goal < 2 s), %.2f s of CPU time, %.0f samples/s, %.1f MB/s, %.0f MB of memory at most\n\n",
			median, analyzeTimes, took[0], took[len(took)-1], cpu[len(cpu)/2], float64(samples)/median, float64(info.Size())/1e6/median, float64(memory)/1e6)
		b.ReportMetric(median, "s/analyze")
	}
}
