package analyze_test

import (
	"testing"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
)

// The middle of a bucket may lie beyond the longest latency in it, and no percentile is longer than that.
func TestNoPercentileIsLongerThanTheLongest(t *testing.T) {
	const longest = 0.013934389
	rec := sideOf("", reader("a"), 1000, 1001, 999, 1000, 1002)
	for i := range rec.Samples {
		rec.Samples[i].Read = flowOf(40000, longest)
	}
	r := analyze.Results(rec)[0]
	for name, v := range map[string]*float64{"p50": r.Latency.P50, "p99": r.Latency.P99, "p99.9": r.Latency.P999, "p99.99": r.Latency.P9999} {
		if v == nil || *v > r.Latency.Max {
			t.Errorf("%s is %v, the longest %v", name, v, r.Latency.Max)
		}
	}
	for _, m := range []model.Metric{model.P50, model.P99} {
		if e := r.Metrics[m]; e.Value > longest {
			t.Errorf("%s is %v", m, e.Value)
		}
	}
}
