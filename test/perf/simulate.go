// Package perf measures Loadline itself: how often its
// intervals contain a known truth, what measuring costs, how fast it analyses.
//
// Its assumptions: coverage is a benchmark just like speed. It is printed for every
// kind of storage that we can imagine, including the unfavourable ones, and the unit
// tests only check it within wide bounds.
package perf

import (
	"math"
	"math/rand/v2"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// Storage is a simulated device with a known truth: its speed second by second,
// relative to 1.
type Storage struct {
	Name string
	// Stationary storage has the same mean at all times; only for such storage is coverage
	// promised.
	Stationary bool
	// Gap is the time in seconds between two repeats of the same workload, during
	// which the others are measured.
	Gap float64
	// Mean is the true mean speed.
	Mean float64
	// Start returns the speed of one run as a function of the length of the pause
	// before the second in question, in seconds; a pause begins a new repeat.
	Start func(r *rand.Rand) func(pause float64) float64
	// Unlike is the standard deviation, between workloads, of the logarithm of their spread.
	Unlike float64
}

const (
	// baseRate is the rate at speed 1, in 1/s.
	baseRate = 20000
	// baseLatency is the median latency at speed 1, in seconds.
	baseLatency = 1.6e-3
	// latencySigma is the spread of the logarithm of the latency.
	latencySigma = 0.5
)

// Steady seconds are independent, with a coefficient of variation cv.
func Steady(cv float64) func(r *rand.Rand) func(float64) float64 {
	return func(r *rand.Rand) func(float64) float64 {
		return func(float64) float64 { return 1 + cv*r.NormFloat64() }
	}
}

// Correlated seconds follow a first-order autoregression with coefficient phi
// per second, including during the pauses.
func Correlated(phi, cv float64) func(r *rand.Rand) func(float64) float64 {
	return func(r *rand.Rand) func(float64) float64 {
		x := r.NormFloat64()
		return func(pause float64) float64 {
			c := math.Pow(phi, 1+pause)
			x = c*x + math.Sqrt(1-c*c)*r.NormFloat64()
			return 1 + cv*x
		}
	}
}

// UnequalRepeats is storage that changes its speed from repeat to repeat (cv) more than from
// second to second (within).
func UnequalRepeats(cv, within float64) func(r *rand.Rand) func(float64) float64 {
	return func(r *rand.Rand) func(float64) float64 {
		level := cv * r.NormFloat64()
		return func(pause float64) float64 {
			if pause > 0 {
				level = cv * r.NormFloat64()
			}
			return 1 + level + within*r.NormFloat64()
		}
	}
}

// Spiky storage falls to 30–50 % of its speed in a share of its seconds.
func Spiky(share, cv float64) func(r *rand.Rand) func(float64) float64 {
	return func(r *rand.Rand) func(float64) float64 {
		return func(float64) float64 {
			v := 1 + cv*r.NormFloat64()
			if r.Float64() < share {
				v *= 0.3 + 0.2*r.Float64()
			}
			return v
		}
	}
}

// Drifting storage gains rise over the first span seconds, with noise cv.
func Drifting(rise, span, cv float64) func(r *rand.Rand) func(float64) float64 {
	return func(r *rand.Rand) func(float64) float64 {
		at := 0.0
		return func(pause float64) float64 {
			at += 1 + pause
			return 1 - rise*math.Max(0, 1-at/span) + cv*r.NormFloat64()
		}
	}
}

// Repeats simulates a workload that is measured repeatedly.
type Repeats struct {
	Samples []model.Sample
	storage Storage
	speed   func(pause float64) float64
	rng     *rand.Rand
	clock   float64
	pause   float64
	step    int
}

// NewRepeats begins a run on the storage; equal seeds give equal runs.
func NewRepeats(s Storage, seed uint64) *Repeats {
	r := rand.New(rand.NewPCG(seed, 20240229))
	return &Repeats{storage: s, rng: r, speed: s.Start(r)}
}

// begin starts a repeat, after a pause unless it is the first.
func (v *Repeats) begin() {
	if v.step > 0 {
		v.pause = v.storage.Gap
		v.clock += v.pause
	}
	v.step++
}

// second adds one second to the repeat.
func (v *Repeats) second() {
	v.clock++
	v.Samples = append(v.Samples, model.Sample{
		Step: v.step, End: v.clock, Seconds: 1, Read: v.flow(math.Max(0.01, v.speed(v.pause)), true),
	})
	v.pause = 0
}

// flow returns the counts of a second at the given speed; without its tail, all latencies are
// the median, which is much faster to compute.
func (v *Repeats) flow(speed float64, tail bool) *model.Flow {
	f := &model.Flow{IOs: uint64(math.Round(baseRate * speed))}
	f.Bytes = 4096 * f.IOs
	f.LatencySum = float64(f.IOs) * baseLatency * math.Exp(latencySigma*latencySigma/2) / speed
	if !tail {
		f.Histogram.Add(histogram.BucketOf(uint64(baseLatency/speed*1e9)), f.IOs)
		return f
	}
	f.Histogram = latencies(float64(f.IOs), speed, v.rng)
	f.Max = f.Histogram.Max()
	return f
}

// Truth returns what a very long run would find: the rate and, from it, the mean latency
// exactly, the percentiles from 12,000 simulated seconds.
func (s Storage) Truth() map[model.Metric]float64 {
	v := NewRepeats(s, math.MaxUint64)
	var all histogram.Histogram
	for range 4000 {
		// Long pauses let every slow state change.
		v.pause = 200
		for range 3 {
			f := v.flow(math.Max(0.01, v.speed(v.pause)), true)
			all.Merge(f.Histogram)
			v.pause = 0
		}
	}
	return map[model.Metric]float64{
		model.IOPS: baseRate * s.Mean, model.Latency: baseLatency * math.Exp(latencySigma*latencySigma/2) / s.Mean,
		model.P50: between(all, 50), model.P99: between(all, 99),
	}
}

// between returns the p-th percentile, interpolated linearly within its bucket, so
// that the truth is not on the same grid as the estimate.
func between(h histogram.Histogram, p float64) float64 {
	want := p / 100 * float64(h.Count())
	var below, last, at float64
	for middle, count := range h.Buckets {
		if below+float64(count) >= want {
			edge := (last + middle) / 2
			at = edge + (middle-edge)*2*(want-below)/float64(count)
			break
		}
		below, last = below+float64(count), middle
	}
	return at
}
