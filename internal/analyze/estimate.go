package analyze

import (
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/stats"
)

// bucketFloor is the smallest relative half-width of a percentile: a latency is
// known to the width of its histogram bucket, 1/64, so its middle to 1/128.
const bucketFloor = 1.0 / 128

// estimate is the metric over all visits with its interval. Confidence is 0
// when there is too little to say how sure it is.
func (f *flow) estimate(m model.Metric) model.Estimate {
	e := model.Estimate{Unit: m.Unit(), Value: f.all.value(m), Confidence: stats.Confidence}
	if m.Unit() == "s" {
		// Latencies are spread by factors, so their interval is symmetric in the
		// logarithm and cannot reach below zero.
		h := math.Hypot(f.half(m, math.Log), floorOf(m))
		e.Low, e.High = e.Value*math.Exp(-h), e.Value*math.Exp(h)
	} else {
		h := math.Max(f.half(m, func(v float64) float64 { return v }), floorOf(m)*e.Value)
		e.Low, e.High = math.Max(0, e.Value-h), e.Value+h
	}
	if math.IsInf(e.High, 0) || math.IsNaN(e.High) {
		e.Low, e.High, e.Confidence = e.Value, e.Value, 0
	}
	return e
}

func floorOf(m model.Metric) float64 {
	if _, ok := percentiles[m]; ok {
		return bucketFloor
	}
	return stats.Floor
}

// half is the half-width of the mean of the metric on the given scale: between
// visits when there are several, along the series when there is one.
func (f *flow) half(m model.Metric, scale func(float64) float64) float64 {
	_, merged := percentiles[m]
	switch {
	case len(f.visits) == 1 && !merged:
		return stats.Series(scaled(series(f.visits[0].seconds, m), scale))
	case len(f.visits) == 1:
		y := make([]float64, 0, len(f.groups))
		for i := range f.groups {
			if v := f.groups[i].value(m); !math.IsNaN(v) {
				y = append(y, scale(v))
			}
		}
		return stats.Series(y)
	}
	var list []stats.Visit
	for i, v := range f.visits {
		value := f.groups[i].value(m)
		if math.IsNaN(value) {
			continue
		}
		s := stats.Visit{Value: scale(value), Begin: v.seconds[0].begin, End: v.seconds[len(v.seconds)-1].end}
		if !merged {
			s.Seconds = scaled(series(v.seconds, m), scale)
		}
		list = append(list, s)
	}
	return stats.Rounds(list)
}

func scaled(y []float64, scale func(float64) float64) []float64 {
	for i, v := range y {
		y[i] = scale(v)
	}
	return y
}
