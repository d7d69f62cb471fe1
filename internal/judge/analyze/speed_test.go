package analyze_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// bigRun is a run of the given workers × workloads × seconds, one repeat each, with histograms of about
// 150 buckets.
func bigRun(workers, workloads, seconds int) *model.Recorded {
	r := rand.New(rand.NewPCG(1, 2))
	rec := recorded(nil, nil)
	for i := range workloads {
		w := reader(fmt.Sprintf("w%d", i))
		rec.Plan.Workloads = append(rec.Plan.Workloads, w)
		rec.Run.Steps = append(rec.Run.Steps, done(i+1, w.Name))
		for s := range seconds {
			for worker := range workers {
				rec.Samples = append(rec.Samples, model.Sample{
					Step: i + 1, Worker: worker, Seconds: 1, End: float64(i*seconds+s) + 1 + 0.02*float64(worker), Read: busySecond(r),
				})
			}
		}
	}
	return rec
}

func busySecond(r *rand.Rand) *model.Flow {
	f := &model.Flow{}
	speed := 1 + 0.05*r.NormFloat64()
	for z := -3.0; z < 4; z += 0.045 {
		ns := 1.6e6 / speed * math.Exp(0.5*z+0.01*r.Float64())
		n := uint64(20 + 1000*math.Exp(-z*z/2))
		f.Histogram.Add(histogram.BucketOf(uint64(ns)), n)
		f.IOs += n
		f.LatencySum += float64(n) * ns / 1e9
	}
	f.Bytes, f.Max = 4096*f.IOs, f.Histogram.Max()
	return f
}

// BenchmarkResults analyses the result of the largest planned run: 15 workers × 14 workloads × 10
// minutes. Reading the files is not included.
func BenchmarkResults(b *testing.B) {
	rec := bigRun(15, 14, 600)
	b.ResetTimer()
	for range b.N {
		if got := len(analyze.Results(rec)); got != 14 {
			b.Fatalf("%d results", got)
		}
	}
	b.ReportMetric(float64(len(rec.Samples)), "samples")
}
