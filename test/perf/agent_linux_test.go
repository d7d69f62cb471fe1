package perf

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/test/lab"
)

// agentRepeat is how long each workload loads the volume, in seconds.
const agentRepeat = 2

// BenchmarkAgentMemory has a worker do everything that it does in a run (examine the volume,
// write it, verify it, load it with each of Kbench's workloads and with an open loop) on a
// filesystem in memory, which is faster than any volume and so produces the most output,
// and prints the peak resident memory of its process: for the program that pods
// run, and for the whole program, which hosts run.
func BenchmarkAgentMemory(b *testing.B) {
	for range b.N {
		dir := programs(b)
		small := agentPeak(b, filepath.Join(dir, "loadline-agent"), "--run-id", "small")
		whole := agentPeak(b, filepath.Join(dir, "loadline"), "agent", "--run-id", "whole")
		fmt.Printf("\nresident memory at most, over a whole run: loadline-agent (in pods) %.1f MiB (goal < 20 MB), loadline agent (on hosts) %.1f MiB\n\n", small, whole)
		b.ReportMetric(small, "MiB-loadline-agent")
		b.ReportMetric(whole, "MiB-loadline")
	}
}

// agentPeak returns the peak resident memory of the worker that the command starts, in MiB.
func agentPeak(b *testing.B, command ...string) float64 {
	b.Helper()
	const size = 64 << 20
	target := model.Target{Kind: model.Directory, Path: lab.Filesystem(b, lab.LoopOnMemory(b, 4*size), "ext4")}
	target.Name = target.Path
	w := worker(b, command...)
	found, err := w.Probe(b.Context(), model.ProbeRequest{Target: target, MayWrite: true, Bandwidth: true}, nil)
	if err != nil {
		b.Fatal(err)
	}
	v := model.Volume{Target: target, Owned: true, Size: size, Engine: found.Engines[0], Direct: found.Direct, Prefill: true}
	made, err := w.Prepare(b.Context(), model.PrepareRequest{Volume: v, MaxSeconds: 60}, nil)
	if err != nil {
		b.Fatal(err)
	}
	v.Path = made.Path
	p, err := profile.Lookup("kbench")
	if err != nil {
		b.Fatal(err)
	}
	open := p.Workloads[0]
	open.Name, open.OpenLoop, open.RateIOPS = "open", true, 1000
	for i, load := range append(p.Workloads, open) {
		step := model.Step{Number: i + 1, Round: 1, Workload: load.Name, Ramp: 0.5, Seconds: agentRepeat}
		samples := 0
		result, err := w.Start(b.Context(), model.StartRequest{Step: step, Workload: load, Volume: v}, func(ev model.Event) {
			if ev.Sample != nil {
				samples++
			}
		})
		if err != nil || result.Error != "" || samples < agentRepeat {
			b.Fatalf("%s: %v %+v, %d samples", load.Name, err, result, samples)
		}
	}
	u, err := usageOf(w.Hello().PID)
	if err != nil {
		b.Fatal(err)
	}
	return float64(u.peak) / (1 << 20)
}
