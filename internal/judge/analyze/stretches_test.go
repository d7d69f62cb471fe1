package analyze_test

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
)

// The four stretches of a repeat of 20 s may agree although its seconds wander: the interval of a percentile is
// no narrower than that of the mean latency, which moves with it. Where the seconds do not wander, the stretches
// alone decide.
func TestAPercentileWandersWithTheMeanLatency(t *testing.T) {
	measured := func(latency func(second int) float64) map[model.Metric]model.Estimate {
		var samples []model.Sample
		for s := range 20 {
			read := flowOf(0, 0)
			if l := latency(s); l > 0 {
				read = flowOf(20000, l)
			}
			samples = append(samples, model.Sample{Step: 1, End: float64(s + 1), Seconds: 1, Read: read})
		}
		rec := recorded([]model.Workload{reader("a")}, []model.StepResult{done(1, "a")}, samples...)
		rec.Plan.Schedule = model.Schedule{Mode: model.Fixed, Repeat: 20, MinRounds: 1, Precision: 0.05}
		return analyze.Results(rec)[0].Metrics
	}
	// Every stretch of five seconds has the same mean, up to the widths of histogram buckets.
	m := measured(func(s int) float64 { return 1e-3 * math.Exp(0.15*math.Sin(2*math.Pi*float64(s)/5)) })
	if mean, p50 := m[model.Latency].HalfWidth(), m[model.P50].HalfWidth(); mean < 0.05 || p50 < 0.95*mean {
		t.Errorf("seconds that wander: mean latency ±%.1f %%, p50 ±%.1f %%", 100*mean, 100*p50)
	}
	// The same where nothing was answered in one of them.
	m = measured(func(s int) float64 {
		if s >= 5 && s < 10 {
			return 0
		}
		return 1e-3 * math.Exp(0.15*math.Sin(2*math.Pi*float64(s)/5))
	})
	if mean, p50 := m[model.Latency].HalfWidth(), m[model.P50].HalfWidth(); mean < 0.05 || p50 < 0.95*mean {
		t.Errorf("seconds that wander, and a standstill: mean latency ±%.1f %%, p50 ±%.1f %%", 100*mean, 100*p50)
	}
	m = measured(func(int) float64 { return 1e-3 })
	if p50 := m[model.P50].HalfWidth(); p50 > 0.01 {
		t.Errorf("seconds that are all alike: p50 ±%.1f %%", 100*p50)
	}
}
