package analyze_test

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// A rate that varies widely has a logarithmic interval: it cannot reach zero or below, and contains the
// rate. A steady one has a symmetric interval.
func TestTheIntervalOfAWildRate(t *testing.T) {
	measured := func(rates ...uint64) model.Result {
		var steps []model.StepResult
		var samples []model.Sample
		for i, n := range rates {
			steps = append(steps, done(i+1, "a"))
			for s := range 3 {
				samples = append(samples, model.Sample{Step: i + 1, End: float64(20*i + s + 1), Seconds: 1, Read: flowOf(n, 1e-3)})
			}
		}
		rec := recorded([]model.Workload{reader("a")}, steps, samples...)
		results := analyze.Results(rec)
		if len(results) != 1 || results[0].Confidence == 0 {
			t.Fatalf("got %+v", results)
		}
		return results[0]
	}
	wild := measured(200, 1000, 3000)
	if wild.HalfWidth() < 1 || !(wild.Low > 0.01*wild.Value) || math.Abs(wild.Low*wild.High/wild.Value/wild.Value-1) > 1e-9 {
		t.Errorf("%g [%g, %g] is no interval by factors", wild.Value, wild.Low, wild.High)
	}
	if wild.Converged {
		t.Error("it counts as converged")
	}
	steady := measured(1000, 1010, 990)
	if h := steady.HalfWidth(); h > 0.3 || math.Abs(steady.Low+steady.High-2*steady.Value) > 1e-6*steady.Value {
		t.Errorf("%g [%g, %g] is not symmetric", steady.Value, steady.Low, steady.High)
	}
}

// Little is known of the tail of storage that was slow in one repeat of three, but the tail is no
// shorter than the median, which is known well.
func TestTheIntervalOfATailBeginsAboveTheMedian(t *testing.T) {
	var steps []model.StepResult
	var samples []model.Sample
	for i := range 3 {
		steps = append(steps, done(i+1, "a"))
		for s := range 3 {
			f := flowOf(20000, 15e-3)
			if i == 2 {
				f.Histogram.Add(histogram.BucketOf(200e6), 1200)
				f.IOs += 1200
			}
			samples = append(samples, model.Sample{Step: i + 1, End: float64(20*i + s + 1), Seconds: 1, Read: f})
		}
	}
	r := analyze.Results(recorded([]model.Workload{reader("a")}, steps, samples...))[0]
	median, tail := r.Metrics[model.P50], r.Metrics[model.P99]
	if tail.Confidence == 0 || tail.HalfWidth() < 1 || tail.Low < median.Low || tail.Low > tail.Value || median.Low < 14e-3 {
		t.Errorf("p99 %+v, p50 %+v", tail, median)
	}
}
