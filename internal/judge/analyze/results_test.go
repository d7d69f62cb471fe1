package analyze_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// flowOf makes a flow of n I/Os of 4 KiB that all took lat seconds.
func flowOf(n uint64, lat float64) *model.Flow {
	f := &model.Flow{IOs: n, Bytes: 4096 * n, LatencySum: float64(n) * lat, Max: lat}
	f.Histogram.Add(histogram.BucketOf(uint64(lat*1e9)), n)
	return f
}

func reader(name string) model.Workload {
	return model.Workload{Name: name, Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, Metric: model.IOPS}
}

func recorded(w []model.Workload, steps []model.StepResult, samples ...model.Sample) *model.Recorded {
	return &model.Recorded{
		Plan: model.Plan{Workloads: w, Schedule: model.Schedule{Mode: model.Rounds, MinRounds: 3, Precision: 0.05}},
		Run:  model.Run{Steps: steps}, Samples: samples,
	}
}

func done(number int, workload string) model.StepResult {
	return model.StepResult{Step: model.Step{Number: number, Workload: workload}}
}

func failed(number int, workload string) model.StepResult {
	r := done(number, workload)
	r.Error = "fio ended with EIO."
	return r
}

func TestRatesAreRatiosOfSums(t *testing.T) {
	rec := recorded([]model.Workload{reader("a")},
		[]model.StepResult{done(1, "a"), done(2, "a")},
		model.Sample{Step: 1, End: 1, Seconds: 1, Read: flowOf(1000, 1e-3)},
		model.Sample{Step: 1, End: 1.5, Seconds: 0.5, Read: flowOf(250, 3e-3)},
		model.Sample{Step: 2, End: 11, Seconds: 1, Read: flowOf(900, 2e-3)},
		model.Sample{Step: 2, End: 12, Seconds: 1}, // a stall, not a gap
	)
	results := analyze.Results(rec)
	if len(results) != 1 {
		t.Fatalf("%d results, want 1", len(results))
	}
	r := results[0]
	if want := []float64{1250 / 1.5, 450}; !cmp.Equal(r.RepeatValues, want) {
		t.Errorf("repeats %v, want %v", r.RepeatValues, want)
	}
	if want := 2150 / 3.5; r.Value != want {
		t.Errorf("rate %v, want %v", r.Value, want)
	}
	if got, want := r.Metrics[model.Bandwidth].Value, 4096*2150/3.5; got != want {
		t.Errorf("bandwidth %v, want %v", got, want)
	}
	if got, want := r.Latency.Mean, (1000*1e-3+250*3e-3+900*2e-3)/2150; math.Abs(got-want) > 1e-12 {
		t.Errorf("mean latency %v, want %v", got, want)
	}
	if r.Seconds != 3.5 || r.Repeats != 2 || r.Latency.Count != 2150 || r.Latency.Max != 3e-3 {
		t.Errorf("seconds %v, repeats %v, count %v, max %v", r.Seconds, r.Repeats, r.Latency.Count, r.Latency.Max)
	}
	if r.Description != "rand read 4k qd1" || r.Verdict != model.Valid || r.Findings == nil {
		t.Errorf("description %q, verdict %q, findings %v", r.Description, r.Verdict, r.Findings)
	}
}

func TestFailedStepsCountForNothing(t *testing.T) {
	rec := recorded([]model.Workload{reader("a"), reader("b"), reader("c")},
		[]model.StepResult{done(1, "a"), failed(2, "a"), failed(3, "b")},
		model.Sample{Step: 1, End: 1, Seconds: 1, Read: flowOf(1000, 1e-3)},
		model.Sample{Step: 2, End: 11, Seconds: 1, Read: flowOf(5, 1e-3)},
		model.Sample{Step: 3, End: 21, Seconds: 1, Read: flowOf(7, 1e-3)},
	)
	results := analyze.Results(rec)
	if len(results) != 1 || results[0].Workload != "a" || results[0].Value != 1000 {
		t.Fatalf("got %+v, want only workload a at 1000 IOPS", results)
	}
	if results[0].Confidence != 0 || results[0].Converged {
		t.Errorf("one second has an interval: %+v", results[0].Estimate)
	}
}

// A flush moves no bytes, so that its bandwidth relative to its mean is not a number: it says nothing about how other bandwidths vary.
func TestFlushesDoNotNarrowBandwidths(t *testing.T) {
	log := model.Workload{Name: "log", Direction: model.Write, BlockSize: 8192, Depth: 1, Sync: "fdatasync", Metric: model.IOPS}
	a, b := reader("a"), reader("b")
	a.Metric, b.Metric = model.Bandwidth, model.Bandwidth
	halves := map[bool]float64{}
	for _, flushes := range []bool{false, true} {
		var steps []model.StepResult
		var samples []model.Sample
		for i, rate := range []uint64{2000, 1000, 1010, 990, 1005} {
			n, at := 3*i, float64(60*i)
			steps = append(steps, done(n+1, "a"), done(n+2, "b"), done(n+3, "log"))
			for s := range 3 {
				second := func(step int, at float64) model.Sample {
					return model.Sample{Step: step, End: at + float64(s), Seconds: 1}
				}
				x, y, z := second(n+1, at), second(n+2, at+20), second(n+3, at+40)
				x.Read, y.Read, z.Write = flowOf(rate+uint64(20*s), 1e-3), flowOf(rate+uint64(30*s), 1e-3), flowOf(rate+uint64(10*s), 1e-3)
				if flushes {
					z.Sync = flowOf(100, 9e-3)
					z.Sync.Bytes = 0
				}
				samples = append(samples, x, y, z)
			}
		}
		r := analyze.Results(recorded([]model.Workload{a, b, log}, steps, samples...))[0]
		halves[flushes] = (r.High - r.Low) / 2 / r.Value
	}
	if halves[false] < 0.2 || math.Abs(halves[true]/halves[false]-1) > 0.05 {
		t.Errorf("half-widths %v", halves)
	}
}

func TestMixedAndSyncHaveTheirOwnResults(t *testing.T) {
	mixed := model.Workload{Name: "m", Direction: model.Mixed, ReadPercent: 70, BlockSize: 4096, Depth: 1, Metric: model.IOPS}
	log := model.Workload{Name: "log", Direction: model.Write, BlockSize: 8192, Depth: 1, Sync: "fdatasync", Metric: model.IOPS}
	var samples []model.Sample
	var steps []model.StepResult
	for i := range 3 {
		steps = append(steps, done(2*i+1, "m"), done(2*i+2, "log"))
		for s := range 3 {
			at := float64(20*i + s)
			flushes := flowOf(100, 9e-3)
			flushes.Bytes = 0
			samples = append(samples,
				model.Sample{Step: 2*i + 1, End: at, Seconds: 1, Read: flowOf(700, 1e-3), Write: flowOf(300, 2e-3)},
				model.Sample{Step: 2*i + 2, End: at + 10, Seconds: 1, Write: flowOf(100, 1e-3), Sync: flushes})
		}
	}
	var got []string
	for _, r := range analyze.Results(recorded([]model.Workload{mixed, log}, steps, samples...)) {
		got = append(got, r.Workload+" "+string(r.Direction)+" "+string(r.Metric)+" "+r.Metric.Format(r.Value))
		if !r.Converged {
			t.Errorf("%s %s did not converge: %+v", r.Workload, r.Direction, r.Estimate)
		}
		if _, ok := r.Metrics[model.Bandwidth]; ok != (r.Direction != model.Sync) {
			t.Errorf("%s %s: has a bandwidth: %v; a flush moves no bytes", r.Workload, r.Direction, ok)
		}
	}
	want := []string{"m read iops 700 IOPS", "m write iops 300 IOPS", "log write iops 100 IOPS", "log sync latency 9.00 ms"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
