package analyze

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// bucketFloor is the smallest relative half-width of a percentile: a latency is known to the width of
// its histogram bucket, 1/64, so its middle to 1/128.
const bucketFloor = 1.0 / 128

// estimate is the metric over all repeats with its interval. Confidence is 0 if there are too few data
// for an interval.
//
// The second result is the relative half-width for the stopping rule.
func (f *flow) estimate(m model.Metric) (model.Estimate, float64) {
	if _, ok := m.Percentile(); ok {
		f.histogram()
	}
	e := model.Estimate{Unit: m.Unit(), Value: f.all.Value(m), Confidence: stats.Confidence}
	half, rule := f.half(m)
	if m.Unit() == "s" {
		// Latencies vary by factors, so their interval is symmetric in the logarithm and cannot reach
		// below zero.
		floor := f.floor(m)
		half, rule = math.Hypot(half, floor), math.Hypot(rule, floor)
		e.Low, e.High, rule = e.Value*math.Exp(-half), e.Value*math.Exp(half), math.Expm1(rule)
	} else {
		floor := f.floor(m)
		half, rule = math.Max(half, floor*e.Value), math.Max(rule/e.Value, floor)
		e.Low, e.High = e.Value-half, e.Value+half
		if far := half / e.Value; far > wideRate {
			// A symmetric interval of such a width would reach below zero.
			e.Low, e.High = e.Value*math.Exp(-far), e.Value*math.Exp(far)
		}
		if rule > wideRate {
			rule = math.Expm1(rule)
		}
	}
	if e.Open = f.open(m); e.Open {
		e.High, rule = math.Max(e.High, f.all.Max), math.Inf(1)
	}
	if math.IsInf(e.High, 0) || math.IsNaN(e.High) {
		e.Low, e.High, e.Confidence = e.Value, e.Value, 0
	}
	if p, ok := m.Percentile(); ok && p >= tail && e.Confidence > 0 {
		// No percentile is below the median, however uncertain the tail itself is.
		if median, _ := f.estimate(model.P50); median.Confidence > 0 {
			e.Low = min(max(e.Low, median.Low), e.Value)
		}
	}
	return e, rule
}

const (
	// wideRate is the relative half-width beyond which the interval of a rate is symmetric in the
	// logarithm, as those of latencies are: an interval of ±143 % would reach below zero.
	wideRate = 0.3
	// tail is the percentile, in percent, from which on rare slow seconds may decide.
	tail = 99
	// slowMatters is how much slower than the others those seconds must be, as the logarithm of a
	// factor.
	slowMatters = 0.22
)

// open reports whether a percentile has no upper bound: the run contained slow seconds or repeats that
// would determine it, but too few to know how frequent they are, or it is in the last bucket, which has no upper end.
func (f *flow) open(m model.Metric) bool {
	p, ok := m.Percentile()
	if m.Beyond(f.all.Value(m)) {
		return true
	}
	if !ok || p < tail {
		return false
	}
	repeats, at := f.repeatModel(model.Latency)
	return repeats.Few(at, slowMatters, (100-p)/100/2)
}

func floorOf(m model.Metric) float64 {
	if _, ok := m.Percentile(); ok {
		return bucketFloor
	}
	return stats.Floor
}

// floor is the smallest relative half-width of a metric. A rate is counted in whole I/Os: repeats of regular storage all
// count the same number, although each may be off by one, so that their variation does not show it.
func (f *flow) floor(m model.Metric) float64 {
	if m.Unit() == "s" {
		return floorOf(m)
	}
	return math.Max(floorOf(m), float64(len(f.repeats))/f.all.IOs)
}

// scale transforms a value to the scale on which a metric is averaged: logarithmic for latencies.
func scale(m model.Metric, v float64) float64 {
	if m.Unit() == "s" {
		return math.Log(v)
	}
	return v
}

// half is the half-width of the metric on its scale, and the one for the stopping rule: from the
// variation between repeats if there are several, otherwise from the series.
func (f *flow) half(m model.Metric) (half, rule float64) {
	_, merged := m.Percentile()
	whole := 1.0
	if m.Unit() != "s" {
		whole = f.all.Value(m)
	}
	if len(f.repeats) == 1 {
		if merged {
			half = math.Hypot(stats.Series(f.stretches(m), 0), f.hidden())
		} else {
			half = stats.Series(f.series(0, m), whole)
			if repeats, at := f.repeatModel(m); f.peers.single() {
				half = math.Hypot(half, repeats.Unmet(at)*whole)
			}
		}
		return half, half
	}
	repeats, at := f.repeatModel(m)
	half, rule = repeats.Half(at)
	return half * whole, rule * whole
}

// hidden is the part of the half-width of a latency of an only repeat that its few stretches do not show, as a
// logarithm. What is slow for longer than a stretch makes the next one slow as well; of the mean latency every
// second is known, and percentiles move with it.
func (f *flow) hidden() float64 {
	seconds, shown := stats.Series(f.series(0, model.Latency), 0), stats.Series(f.stretches(model.Latency), 0)
	if !(seconds > shown) || math.IsInf(seconds, 0) {
		return 0
	}
	return math.Sqrt(seconds*seconds - shown*shown)
}

// stretches is the metric of each stretch of an only repeat that has it, on its scale.
func (f *flow) stretches(m model.Metric) []float64 {
	var y []float64
	for i := range f.groups {
		if v := f.groups[i].Value(m); !math.IsNaN(v) {
			y = append(y, scale(m, v))
		}
	}
	return y
}

// series is the metric of a repeat, second by second, on its scale.
func (f *flow) series(repeat int, m model.Metric) []float64 {
	if _, ok := m.Percentile(); ok {
		return nil
	}
	y := timeline.Series(f.repeats[repeat].Seconds, m)
	for i, v := range y {
		y[i] = scale(m, v)
	}
	return y
}
