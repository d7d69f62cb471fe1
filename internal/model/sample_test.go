package model

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model/histogram"
)

func TestValueOfAFlow(t *testing.T) {
	f := Flow{IOs: 100, Bytes: 400 << 10, LatencySum: 2}
	f.Histogram.Add(histogram.BucketOf(20e6), 100)
	for m, want := range map[Metric]float64{IOPS: 50, Transactions: 50, Bandwidth: 200 << 10, Latency: 0.02, P50: 0.02, P99: 0.02} {
		if got := f.Value(m, 2); math.Abs(got/want-1) > 0.02 {
			t.Errorf("%s: %v, want %v", m, got, want)
		}
	}
	for what, got := range map[string]float64{"no time": f.Value(IOPS, 0), "nothing done": (&Flow{}).Value(Latency, 1), "no such metric": f.Value("max", 1)} {
		if !math.IsNaN(got) {
			t.Errorf("%s: %v", what, got)
		}
	}
}
