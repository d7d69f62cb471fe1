package analyze

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// traceSecond is n reads with exponentially distributed latencies of a given mean.
func traceSecond(r *rand.Rand, end float64, n uint64, mean float64) iotrace.Sample {
	s := iotrace.Sample{End: end, Seconds: 1, Device: "sda", Operation: iotrace.Read, Size: 4096, Flow: model.Flow{IOs: n, Bytes: n * 4096}}
	for range n {
		v := mean * r.ExpFloat64()
		s.Flow.Histogram.Add(histogram.BucketOf(uint64(v*1e9)), 1)
		s.Flow.LatencySum += v
		s.Flow.Max = math.Max(s.Flow.Max, v)
	}
	return s
}

func pointers(samples []iotrace.Sample) (list []*iotrace.Sample) {
	for i := range samples {
		list = append(list, &samples[i])
	}
	return list
}

// A second in which no I/O ended has no sample and still counts as a second; a moment at the end does
// not.
func TestQuietSecondsOfATraceCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	samples := []iotrace.Sample{traceSecond(r, 1, 100, 1e-3), traceSecond(r, 2, 100, 1e-3), traceSecond(r, 5, 100, 1e-3), traceSecond(r, 6, 100, 1e-3)}
	last := traceSecond(r, 6.02, 3, 1e-3)
	last.Seconds = 0.02
	samples = append(samples, last)
	traced := NewTraced(samples, 10, 1, 1e9)
	if len(traced.seconds) != 10 {
		t.Fatalf("%d seconds, want 10: %+v", len(traced.seconds), traced.seconds)
	}
	f := traced.Of(pointers(samples))
	ios, length := 0.0, 0.0
	for i, s := range f.repeat.Seconds {
		ios, length = ios+s.IOs, length+s.Seconds
		if quiet := i == 2 || i == 3 || i > 5; quiet != (s.IOs == 0) || math.Abs(s.Seconds-1) > 0.03 {
			t.Errorf("second %d: %g I/Os in %g s", i, s.IOs, s.Seconds)
		}
	}
	if ios != 403 || math.Abs(length-10) > 1e-9 {
		t.Errorf("%g I/Os in %g s, want 403 in 10", ios, length)
	}
	if got := f.Estimates(model.IOPS)[model.IOPS]; math.Abs(got.Value-40.3) > 1e-9 {
		t.Errorf("%+v, want 40.3 a second", got)
	}
	if empty := NewTraced(nil, 0, 1, 1e9).Of(nil); empty.Estimates(model.IOPS) != nil || empty.Course("sda", iotrace.Read, 1) != nil {
		t.Error("of nothing something is known")
	}
}

// The intervals of a trace cover the true value as often as they claim; 20 seconds of a device whose
// speed changes from second to second.
func TestIntervalsOfATraceHoldTheTruth(t *testing.T) {
	const tries = 200
	truth := map[model.Metric]float64{model.IOPS: 500, model.Latency: 1e-3, model.P50: 1e-3 * math.Ln2, model.P99: 1e-3 * math.Log(100)}
	held := map[model.Metric]int{}
	for seed := range uint64(tries) {
		r := rand.New(rand.NewPCG(seed, 7))
		var samples []iotrace.Sample
		for second := range 20 {
			samples = append(samples, traceSecond(r, float64(second+1), uint64(500*(1+0.1*r.NormFloat64())), 1e-3*(1+0.05*r.NormFloat64())))
		}
		for m, e := range NewTraced(samples, 20, 1, 1e9).Of(pointers(samples)).Estimates(model.IOPS, model.Latency, model.P50, model.P99, model.P999) {
			if m == model.P999 {
				continue
			}
			if e.Low <= truth[m] && truth[m] <= e.High {
				held[m]++
			}
			if !(e.Low < e.Value && e.Value < e.High) || e.HalfWidth() > 0.5 {
				t.Errorf("%s: %+v", m, e)
			}
		}
	}
	for m := range truth {
		if held[m] < tries*90/100 {
			t.Errorf("%s was held by %d of %d intervals", m, held[m], tries)
		}
	}
	t.Log(held)
}

// However long a trace claims to be, it has few cells, and every I/O is in one of them.
func TestALongTraceIsPutOntoStretches(t *testing.T) {
	const week = 7 * 86400
	var samples []iotrace.Sample
	for at := 0.0; at < week; at += 1.0003 {
		samples = append(samples, iotrace.Sample{End: at + 1.0003, Seconds: 1.0003, Flow: model.Flow{IOs: 100, LatencySum: 0.1}})
	}
	length := samples[len(samples)-1].End
	traced := NewTraced(samples, length, 1, 1e9)
	cells := traced.Of(pointers(samples)).repeat.Seconds
	if n := len(cells); n > mostStretches+1 || n < mostStretches*9/10 {
		t.Errorf("a week has %d cells", n)
	}
	ios, sum := 0.0, 0.0
	for i, c := range cells {
		ios, sum = ios+c.IOs, sum+c.Seconds
		// No stretch has an extra second: constant rates would appear to vary.
		if rate := c.IOs / c.Seconds; math.Abs(rate-100/1.0003) > 1e-3 {
			t.Fatalf("stretch %d of %g s has %g I/Os a second", i, c.Seconds, rate)
		}
	}
	if ios != 100*float64(len(samples)) || math.Abs(sum-length) > 1e-3 {
		t.Errorf("%g I/Os in %g s, want %d in %g", ios, sum, 100*len(samples), length)
	}
	if got := traced.Of(pointers(samples)).Estimates(model.IOPS)[model.IOPS]; math.Abs(got.Value-100/1.0003) > 1e-3 {
		t.Errorf("%+v", got)
	}
	for name, c := range map[string]struct {
		samples []iotrace.Sample
		length  float64
	}{
		"length":   {nil, 1e12},
		"end":      {[]iotrace.Sample{{End: 1e12, Seconds: 1, Flow: model.Flow{IOs: 1}}}, 2},
		"interval": {[]iotrace.Sample{{End: 1e12, Seconds: 1e12, Flow: model.Flow{IOs: 1}}, {End: 2e12, Seconds: 1, Flow: model.Flow{IOs: 1}}}, 2},
		"all":      {[]iotrace.Sample{{End: 1, Seconds: 1}, {End: 1e17, Seconds: 1e-9}}, 1e17},
	} {
		if n := len(NewTraced(c.samples, c.length, 1, 1e9).seconds); n > 2*mostStretches {
			t.Errorf("%s: %d cells", name, n)
		}
	}
}

// With many flows, each has fewer and longer stretches, and no time is lost; a short trace keeps its
// seconds.
func TestManyFlowsHaveFewerCells(t *testing.T) {
	var samples []iotrace.Sample
	for at := range 20000 {
		samples = append(samples, iotrace.Sample{End: float64(at + 1), Seconds: 1, Flow: model.Flow{IOs: 100}})
	}
	for _, c := range []struct{ length, flows, cells, want int }{{20000, 1, 1e9, 10000}, {20000, 100, 100 * 5000, 5000}, {20000, 1000, 1e6, 20000 / 20}, {20000, 1e6, 1e6, 20000 / 67}, {60, 1e6, 1e6, 60}} {
		traced := NewTraced(samples[:c.length], float64(c.length), c.flows, c.cells)
		n := len(traced.seconds)
		sum := 0.0
		for _, s := range traced.seconds {
			sum += s.Seconds
		}
		if math.Abs(float64(n-c.want)) > 0.01*float64(c.want)+1 || math.Abs(sum-float64(c.length)) > 1e-6 {
			t.Errorf("%+v: %d cells of %g s", c, n, sum)
		}
	}
}

// Data too sparse for an interval get none.
func TestAHandfulOfIOsHasNoPercentiles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var samples []iotrace.Sample
	for second := range 10 {
		samples = append(samples, traceSecond(r, float64(second+1), 2, 1e-3))
	}
	got := NewTraced(samples, 10, 1, 1e9).Of(pointers(samples)).Estimates(model.IOPS, model.P50, model.P99)
	if _, ok := got[model.P99]; ok {
		t.Errorf("a p99 of 20 I/Os: %+v", got)
	}
	counted := []iotrace.Sample{{End: 1, Seconds: 1, Flow: model.Flow{IOs: 10, LatencySum: 1}}, {End: 2, Seconds: 1, Flow: model.Flow{IOs: 12, LatencySum: 1}}, {End: 3, Seconds: 1, Flow: model.Flow{IOs: 11, LatencySum: 1}}}
	got = NewTraced(counted, 3, 1, 1e9).Of(pointers(counted)).Estimates(model.IOPS, model.Latency, model.P50)
	if _, ok := got[model.P50]; ok || got[model.IOPS].Confidence == 0 || got[model.Latency].Confidence == 0 {
		t.Errorf("of the counters: %+v", got)
	}
}
