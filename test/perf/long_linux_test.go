package perf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// longSeconds are the lengths of the repeats that BenchmarkLong analyses.
var longSeconds = []int{3600, 6 * 3600, 24 * 3600}

// longVolumes is the number of volumes of the last run, which is also 24 hours long.
const longVolumes = 6

// longest is how long one command may take.
const longest = 20 * time.Minute

// longRun writes the directory of a run that is one repeat of the given length on the given number of
// volumes, as the engine does. The speed behaves like that of real storage: noise
// that is correlated from second to second (0.7), a daily wave, and an occasional
// stall. Its level never changes, which is the hard case for change detection.
func longRun(tb testing.TB, parent string, volumes, seconds int) string {
	tb.Helper()
	check := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	w := model.Workload{Name: "rand-read-iops", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 32, Metric: model.IOPS, Volumes: volumes}
	plan := model.Plan{Schema: model.PlanSchema, Workloads: []model.Workload{w},
		Schedule: model.Schedule{Mode: model.Fixed, Repeat: float64(seconds), MinRounds: 1, Precision: 0.05}}
	plan.Volume = model.Volume{Target: model.Target{Name: "fake:", Kind: model.Fake}, Engine: "fake", Direct: true, Size: 1 << 40}
	if volumes > 1 {
		for range volumes {
			plan.Volumes = append(plan.Volumes, plan.Volume)
		}
	}
	step := model.Step{Number: 1, Round: 1, Workload: w.Name, Seconds: float64(seconds)}
	plan.Steps = []model.Step{step}
	out, err := store.Create(parent, time.Now, store.Start{Plan: plan, Run: model.Run{ID: fmt.Sprintf("%d-%d", volumes, seconds), Started: time.Now()}})
	check(err)
	check(out.Prepared(model.Preparation{Proof: model.Proof{Method: "none"}}))
	noise := make([]float64, volumes)
	for second := range seconds {
		wave := 0.02 * math.Sin(2*math.Pi*float64(second)/86400)
		for volume := range volumes {
			noise[volume] = 0.7*noise[volume] + math.Sqrt(1-0.7*0.7)*r.NormFloat64()
			speed := 1 + wave + 0.05*noise[volume]
			if r.Float64() < 0.001 {
				speed *= 0.3
			}
			check(out.Sample(model.Sample{Step: 1, Worker: volume, Seconds: 1, Read: secondAt(r, max(0.05, speed)),
				End: float64(second) + 1 + 0.02*float64(volume) + 1e-4*r.Float64()}))
		}
	}
	for volume := range volumes {
		check(out.Step(model.StepResult{Step: step, Worker: volume, Ended: float64(seconds)}))
	}
	check(out.Finish(model.Complete, ""))
	return out.Dir()
}

// cost is what a command used.
type cost struct {
	seconds, cpu float64
	// memory is the peak resident memory, in bytes.
	memory int64
}

// spend runs a command of the program; exit code 5 is a verdict on made-up numbers.
func spend(b *testing.B, program string, args ...string) cost {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 5) {
		b.Fatalf("loadline %v: %v\n%s", args, err, out)
	}
	return cost{seconds: time.Since(start).Seconds(), cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), memory: peak(cmd.ProcessState)}
}

// BenchmarkLong measures time and memory of "loadline analyze" and of making a page
// from it, for repeats of 1, 6 and 24 hours, and for 24 hours of six volumes.
func BenchmarkLong(b *testing.B) {
	loadline, parent := program(b), b.TempDir()
	for range b.N {
		t := columns()
		fmt.Fprintf(t, "repeat\tsamples\tMB saved\tanalyze\tCPU\tmemory\treport\tCPU\tmemory\tpage\t\n")
		var first, day cost
		row := func(volumes, seconds int) cost {
			dir := longRun(b, parent, volumes, seconds)
			saved, err := os.Stat(filepath.Join(dir, "samples.jsonl.zst"))
			if err != nil {
				b.Fatal(err)
			}
			analyze := spend(b, loadline, "analyze", dir)
			file := filepath.Join(dir, "page.html")
			report := spend(b, loadline, "report", dir, "-o", file)
			page, err := os.Stat(file)
			if err != nil {
				b.Fatal(err)
			}
			fmt.Fprintf(t, "%d × %d h\t%d\t%.0f\t%.2f s\t%.2f s\t%.0f MB\t%.2f s\t%.2f s\t%.0f MB\t%.2f MB\t\n", volumes, seconds/3600, volumes*seconds,
				float64(saved.Size())/1e6, analyze.seconds, analyze.cpu, float64(analyze.memory)/1e6,
				report.seconds, report.cpu, float64(report.memory)/1e6, float64(page.Size())/1e6)
			t.Flush()
			return analyze
		}
		for i, seconds := range longSeconds {
			c := row(1, seconds)
			if i == 0 {
				first = c
			}
			day = c
		}
		times := float64(longSeconds[len(longSeconds)-1]) / float64(longSeconds[0])
		fmt.Printf("24 h against 1 h, %.0f times the seconds: %.1f times the CPU time, %.1f times the memory (goals for 24 h: < 10 s, < 200 MB)\n",
			times, day.cpu/first.cpu, float64(day.memory)/float64(first.memory))
		row(longVolumes, longSeconds[len(longSeconds)-1])
		b.ReportMetric(day.seconds, "s/analyze")
		b.ReportMetric(float64(day.memory)/1e6, "MB")
	}
}
