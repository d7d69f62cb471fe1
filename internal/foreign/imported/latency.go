package imported

import (
	"math"
	"sort"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// metricOf maps the percentiles that a report can show to metrics.
var metricOf = map[float64]model.Metric{50: model.P50, 90: model.P90, 99: model.P99, 99.9: model.P999, 99.99: model.P9999}

// setPercentile records a percentile in seconds, if it is one that a report shows.
func setPercentile(f *model.Figure, at, seconds float64) {
	m, ok := metricOf[math.Round(at*1e4)/1e4]
	if !ok || !(seconds > 0) || math.IsInf(seconds, 0) {
		return
	}
	if f.Latency == nil {
		f.Latency = &model.LatencySummary{Unit: "s"}
	}
	f.Values[m] = seconds
	v := seconds
	switch m {
	case model.P50:
		f.Latency.P50 = &v
	case model.P90:
		f.Latency.P90 = &v
	case model.P99:
		f.Latency.P99 = &v
	case model.P999:
		f.Latency.P999 = &v
	case model.P9999:
		f.Latency.P9999 = &v
	}
}

// fill sets the percentiles and the tail of a figure from the distribution.
func (b *distribution) fill(f *model.Figure) {
	if b.total == 0 {
		return
	}
	if f.Latency == nil {
		f.Latency = &model.LatencySummary{Unit: "s"}
	}
	f.Latency.Count = uint64(math.Min(b.total, 1<<62))
	sort.Slice(b.buckets, func(i, j int) bool { return b.buckets[i].to < b.buckets[j].to })
	for p := range metricOf {
		setPercentile(f, p, b.percentile(p))
	}
	f.Tail = b.tail()
}

// finest is the smallest ratio between two points of a tail that is visible in a chart.
const finest = 1.06

// tail returns the fraction of I/Os above each latency. It ends before that fraction is 0, which cannot
// be shown on a logarithmic axis.
func (b *distribution) tail() []model.TailPoint {
	var list []model.TailPoint
	if from := b.buckets[0].from; from > 0 {
		list = append(list, model.TailPoint{Latency: from, Above: 1})
	}
	above := b.total
	for _, k := range b.buckets {
		if above -= k.count; above <= 0 {
			break
		}
		if n := len(list); n == 0 || k.to >= list[n-1].Latency*finest || above < 10 && k.to > list[n-1].Latency {
			list = append(list, model.TailPoint{Latency: k.to, Above: above / b.total})
		}
	}
	return list
}

// distribution counts I/Os by latency, in buckets of any width.
type distribution struct {
	buckets []bucket
	total   float64
}

// bucket counts I/Os between two latencies in seconds; at is the representative value for all of them.
type bucket struct{ from, to, at, count float64 }

func (b *distribution) add(k bucket) {
	if k.count > 0 {
		b.buckets = append(b.buckets, k)
		b.total += k.count
	}
}

// allows reports whether the latencies can have that mean, given that each is within its bucket.
func (b *distribution) allows(mean float64) bool {
	low, high := 0.0, 0.0
	for _, k := range b.buckets {
		low, high = low+k.count*k.from, high+k.count*k.to
	}
	const rounding = 1e-6
	return mean*b.total >= low*(1-rounding) && mean*b.total <= high*(1+rounding)
}

// percentile returns the point of the first bucket at which p % of all are reached.
func (b *distribution) percentile(p float64) float64 {
	want := math.Max(1, math.Ceil(p/100*b.total))
	var sum float64
	for _, k := range b.buckets {
		sum += k.count
		if sum >= want {
			return k.at
		}
	}
	return b.buckets[len(b.buckets)-1].at
}

// mean returns the mean of the buckets' points.
func (b *distribution) mean() float64 {
	var sum float64
	for _, k := range b.buckets {
		sum += k.count * k.at
	}
	return sum / b.total
}

// fromFio fills a figure from a histogram in fio's buckets.
func fromFio(f *model.Figure, h histogram.Histogram) {
	var d distribution
	for at, n := range h.Buckets {
		// A bucket is 1/64 of its value wide.
		d.add(bucket{from: at * (1 - 1./128), to: at * (1 + 1./128), at: at, count: float64(n)})
	}
	d.fill(f)
}
