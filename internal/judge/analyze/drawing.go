package analyze

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// pointsOf makes the columns of a course.
func pointsOf(pieces []piece) model.Points {
	n := len(pieces)
	p := model.Points{
		At: make([]float64, n), Seconds: make([]float64, n), IOPS: make([]float64, n), Bandwidth: make([]float64, n),
		Mean: make([]float64, n), P50: make([]float64, n), P99: make([]float64, n), P999: make([]float64, n), Span: make([]int, n),
	}
	for i := range pieces {
		t := &pieces[i]
		p.At[i], p.Seconds[i], p.Span[i] = rounded(t.end), rounded(t.Seconds), t.span
		p.IOPS[i], p.Bandwidth[i], p.Mean[i] = digits(t.Value(model.IOPS), 5), digits(t.Value(model.Bandwidth), 5), digits(t.Value(model.Latency), 4)
		p.P50[i], p.P99[i], p.P999[i] = pointPercentile(t, 50), pointPercentile(t, 99), pointPercentile(t, 99.9)
	}
	return p
}

// pointPercentile is a percentile of a piece; 0 if there are so few I/Os that fewer than one is
// expected above it: the largest of a hundred latencies is not their p99.9.
func pointPercentile(t *piece, p float64) float64 {
	h := t.Histograms[0]
	if float64(h.Count())*(100-p) < 100*(1-1e-9) {
		return 0
	}
	return digits(h.PercentileUpTo(p, t.Max), 4)
}

// mostTail is the maximum number of points of a distribution's tail.
const mostTail = 120

// tailOf merges the measured pieces and samples their complementary distribution at points spaced
// evenly along the curve as it is drawn on two logarithmic axes.
func tailOf(pieces []piece) []model.TailPoint {
	var h histogram.Histogram
	for i := range pieces {
		if pieces[i].measured {
			h.Merge(*pieces[i].Histograms[0])
		}
	}
	var all []model.TailPoint
	n := h.Count()
	left := n
	for seconds, count := range h.Buckets {
		// I/Os in the bucket took about its middle or longer. (Zero has no place on a logarithmic
		// axis.)
		if seconds > 0 {
			all = append(all, model.TailPoint{Latency: seconds, Above: float64(left) / float64(n)})
		}
		left -= count
	}
	length := 0.0
	for i := 1; i < len(all); i++ {
		length += distance(all[i-1], all[i])
	}
	kept, since := all[:0:0], math.Inf(1)
	for i, p := range all {
		if i > 0 {
			since += distance(all[i-1], p)
		}
		if since < length/(mostTail-2) && i < len(all)-1 {
			continue
		}
		kept, since = append(kept, model.TailPoint{Latency: digits(p.Latency, 5), Above: digits(p.Above, 5)}), 0
	}
	return kept
}

// distance is the distance between two points as drawn; one decade on either axis is 1.
func distance(a, b model.TailPoint) float64 {
	return math.Hypot(math.Log10(b.Latency/a.Latency), math.Log10(b.Above/a.Above))
}

// heatSize is the maximum number of columns and of filled cells of a heatmap; mostRows is the maximum
// number of latency rows.
type heatSize struct{ columns, cells int }

const mostRows = 40

// heatOf counts I/Os by time and latency. Columns do not span repeats unless there are more repeats
// than columns.
func heatOf(pieces []piece, repeats int, size heatSize) *model.Heat {
	columns := size.columns
	bySpan := slices.Clone(pieces[:0:0])
	heat := &model.Heat{}
	var sums []histogram.Histogram
	column := func(part []piece) {
		var h histogram.Histogram
		for i := range part {
			h.Merge(*part[i].Histograms[0])
		}
		sums = append(sums, h)
		heat.From = append(heat.From, rounded(part[0].begin))
		heat.Times = append(heat.Times, rounded(part[len(part)-1].end))
	}
	if repeats > columns {
		for _, part := range cut(pieces, columns) {
			column(part)
		}
	} else {
		wide := (len(pieces) + columns - 1) / columns
		for i := range pieces {
			bySpan = append(bySpan, pieces[i])
			if i == len(pieces)-1 || pieces[i+1].span != pieces[i].span {
				for _, part := range cut(bySpan, (len(bySpan)+wide-1)/wide) {
					column(part)
				}
				bySpan = bySpan[:0]
			}
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range sums {
		for seconds := range sums[i].Buckets {
			low, high = min(low, seconds), max(high, seconds)
		}
	}
	if high < low {
		return nil
	}
	// Use the finest grid that has few enough rows and cells.
	for parts := 16; ; parts /= 2 {
		g := grid{parts: parts}
		g.first, g.last = g.at(low), g.at(high)
		if parts > 1 && g.last-g.first >= mostRows {
			continue
		}
		heat.Bounds, heat.Cells = g.bounds(), g.cells(sums)
		if parts == 1 || len(heat.Cells) <= size.cells {
			return heat
		}
	}
}

// grid divides latencies into octaves (of nanoseconds) and each octave into equal parts, as the
// histograms do, so that a bucket lies in one row.
type grid struct{ first, last, parts int }

// cells counts the I/Os in each cell.
func (g grid) cells(sums []histogram.Histogram) [][3]uint64 {
	var list [][3]uint64
	counts := make([]uint64, g.last-g.first+1)
	for x := range sums {
		clear(counts)
		for seconds, count := range sums[x].Buckets {
			counts[g.at(seconds)-g.first] += count
		}
		for y, count := range counts {
			if count > 0 {
				list = append(list, [3]uint64{uint64(x), uint64(y), count})
			}
		}
	}
	return list
}

// at is the row number of a latency, counted from 1 ns up.
func (g grid) at(seconds float64) int {
	// The middle of a bucket is exact only to within a rounding error.
	ns := max(1, seconds*1e9*(1+1e-12))
	fraction, exponent := math.Frexp(ns)
	return (exponent-1)*g.parts + int((fraction*2-1)*float64(g.parts))
}

// bounds are the edges of the rows in seconds.
func (g grid) bounds() []float64 {
	edges := make([]float64, 0, g.last-g.first+2)
	for i := g.first; i <= g.last+1; i++ {
		octave, part := i/g.parts, i%g.parts
		edges = append(edges, digits(math.Ldexp(1+float64(part)/float64(g.parts), octave)/1e9, 5))
	}
	return edges
}
