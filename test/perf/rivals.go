package perf

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

// Rule is a method of making intervals and of deciding when enough has been measured.
type Rule struct {
	Name string
	// Estimate is the interval of a metric of the i-th workload; ours is Loadline's estimate.
	Estimate func(w *Whole, i int, m model.Metric, ours model.Estimate) model.Estimate
	Stop     func(w *Whole, i int) bool
}

// rules are Loadline's, two from textbooks, and Loadline's first one.
var rules = []Rule{ours, rival("Student's t", student), rival("bootstrap", bootstrap), rival("old rule", oldRule)}

var ours = Rule{
	Name:     "ours",
	Estimate: func(_ *Whole, _ int, _ model.Metric, e model.Estimate) model.Estimate { return e },
	Stop: func(w *Whole, i int) bool {
		return analyze.Judge{}.Judge(&w.Plan, w.Plan.Workloads[i], w.everything()).Converged
	},
}

// everything are the samples of all workloads with those of long repeats that do not count, in the order of time.
func (w *Whole) everything() map[string][]model.Sample {
	all := maps.Clone(w.Samples)
	for name, long := range w.Long {
		all[name] = append(slices.Clone(all[name]), long...)
		slices.SortStableFunc(all[name], func(a, b model.Sample) int { return a.Step - b.Step })
	}
	return all
}

// stay is a repeat of one workload as the rivals see it: a value and its seconds on the
// metric's scale, where latencies are logarithms.
type stay struct {
	value   float64
	seconds []float64
	// begin and end are in seconds.
	begin, end float64
}

// rival makes a rule of a function from repeats to a half-width and the one to stop by,
// in the unit of the values; whole is 100 % in that unit.
func rival(name string, half func(repeats []stay, whole float64) (half, stop float64)) Rule {
	return Rule{
		Name: name,
		Estimate: func(w *Whole, i int, m model.Metric, e model.Estimate) model.Estimate {
			repeats := w.stays(i, m)
			if m.Unit() == "s" {
				h, _ := half(repeats, 1)
				e.Low, e.High = e.Value*math.Exp(-h), e.Value*math.Exp(h)
				return e
			}
			h, _ := half(repeats, e.Value)
			h = math.Max(h, stats.Floor*e.Value)
			e.Low, e.High = e.Value-h, e.Value+h
			return e
		},
		Stop: func(w *Whole, i int) bool {
			repeats := w.stays(i, model.IOPS)
			if len(repeats) < w.Plan.Schedule.MinRounds {
				return false
			}
			var values []float64
			for _, v := range repeats {
				values = append(values, v.value)
			}
			mean := stats.Mean(values)
			_, stop := half(repeats, mean)
			return stop <= w.Plan.Schedule.Precision*mean
		},
	}
}

// stays returns the repeats of the i-th workload.
func (w *Whole) stays(i int, m model.Metric) []stay {
	length := int(w.Plan.Schedule.Repeat)
	samples := w.Samples[w.Plan.Workloads[i].Name]
	var list []stay
	for ; len(samples) >= length; samples = samples[length:] {
		s := stay{begin: samples[0].End - 1, end: samples[length-1].End}
		var all model.Flow
		for _, x := range samples[:length] {
			if m == model.IOPS || m == model.Latency {
				s.seconds = append(s.seconds, of(m, x.Read, 1))
			}
			all.IOs, all.LatencySum = all.IOs+x.Read.IOs, all.LatencySum+x.Read.LatencySum
			if m == model.P50 || m == model.P99 {
				all.Histogram.Merge(x.Read.Histogram)
			}
		}
		s.value = of(m, &all, float64(length))
		list = append(list, s)
	}
	return list
}

func of(m model.Metric, f *model.Flow, seconds float64) float64 {
	switch m {
	case model.IOPS:
		return float64(f.IOs) / seconds
	case model.Latency:
		return math.Log(f.LatencySum / float64(f.IOs))
	case model.P50:
		return math.Log(f.Histogram.Percentile(50))
	}
	return math.Log(f.Histogram.Percentile(99))
}

func valuesOf(repeats []stay) []float64 {
	values := make([]float64, len(repeats))
	for i, v := range repeats {
		values[i] = v.value
	}
	return values
}

// student is t·s/√k.
func student(repeats []stay, _ float64) (half, stop float64) {
	k := float64(len(repeats))
	half = stats.StudentT(k-1) * stats.StdDev(valuesOf(repeats)) / math.Sqrt(k)
	return half, half
}

// bootstrap is half the distance between the 2.5 % and the 97.5 % quantile of the
// means of resampled repeats.
func bootstrap(repeats []stay, _ float64) (half, stop float64) {
	const times = 200
	values := valuesOf(repeats)
	r := rand.New(rand.NewPCG(uint64(len(values)), 8128))
	means := make([]float64, times)
	for i := range means {
		for range values {
			means[i] += values[r.IntN(len(values))] / float64(len(values))
		}
	}
	slices.Sort(means)
	half = (means[times*39/40-1] - means[times/40]) / 2
	return half, half
}
