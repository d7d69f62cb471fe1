package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/judge/timeline"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
)

// TracePair is the same thing in two traces: the flows, and the row that names them.
type TracePair struct {
	A, B Flow
	Row  iotrace.Compared
	// Reason is why its latencies are not judged; unlike tells that it is about the I/Os,
	// otherwise about the trace.
	Reason string
	Unlike bool
}

// traceMetrics are what two traces are compared by.
var traceMetrics = []model.Metric{model.IOPS, model.Latency, model.P50, model.P99}

// CompareFlows makes the rows of pairs, and judges them together: a row for each metric that
// both sides have an interval for.
func CompareFlows(pairs []TracePair, margins model.Margins) (rows []iotrace.Compared) {
	var known []stats.Contrast
	var p []float64
	for _, pair := range pairs {
		a, b := newFlow([]timeline.Repeat{pair.A.repeat}, model.IOPS, model.Rounds), newFlow([]timeline.Repeat{pair.B.repeat}, model.IOPS, model.Rounds)
		if a == nil || b == nil {
			continue
		}
		for _, m := range traceMetrics {
			if !a.has(m) || !b.has(m) {
				continue
			}
			row := pair.Row
			row.Metric, row.Margin, row.Adjusted = m, margins.Of(m), 1
			row.A, _ = a.estimate(m)
			row.B, _ = b.estimate(m)
			if !(row.A.Value > 0) || !(row.B.Value > 0) {
				continue
			}
			va, ha := logEstimate(a, m)
			vb, hb := logEstimate(b, m)
			c := stats.Known(va, ha, vb, hb, contrastFloor(m))
			row.Ratio, row.P = ratio(c), c.P()
			if pair.Reason != "" && (m != model.IOPS || !pair.Unlike) {
				row.Verdict, row.Reason = iotrace.Unusable, pair.Reason
				if pair.Unlike {
					row.Verdict = iotrace.Unlike
				}
			}
			rows, known = append(rows, row), append(known, c)
			if row.Verdict == "" {
				p = append(p, row.P)
			}
		}
	}
	adjusted := stats.Holm(p)
	for i := range rows {
		r := &rows[i]
		if r.Verdict != "" {
			continue
		}
		r.Adjusted, adjusted = adjusted[0], adjusted[1:]
		r.Verdict = traceVerdict(known[i].Gate(r.Margin, r.Adjusted), r.Metric)
	}
	return rows
}

func traceVerdict(p stats.Place, m model.Metric) iotrace.Verdict {
	switch {
	case p == stats.Same:
		return iotrace.Same
	case p == stats.Unclear:
		return iotrace.Unclear
	case m == model.IOPS && p == stats.Larger:
		return iotrace.More
	case m == model.IOPS:
		return iotrace.Fewer
	case p == stats.Larger:
		return iotrace.Slower
	}
	return iotrace.Faster
}

// mostApart is the part of two distributions that may differ for the I/Os to be alike: the
// sum of what each share differs by, halved.
const mostApart = 0.10

// apart is how much of two distributions differs, from 0 to 1.
func apart[K comparable](a, b map[K]float64) float64 {
	sum := func(m map[K]float64) (s float64) {
		for _, v := range m {
			s += v
		}
		return s
	}
	sa, sb, d := sum(a), sum(b), 0.0
	if sa == 0 || sb == 0 {
		return 0
	}
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for k := range keys {
		d += math.Abs(a[k]/sa - b[k]/sb)
	}
	return d / 2
}

// Made is what a load is made of: how many I/Os of each size an operation has, and how many
// of each operation there are on its device.
type Made struct {
	Sizes map[int64]float64
	Mix   map[iotrace.Operation]float64
}

// Unlike says why the I/Os of an operation are not alike on both sides: their sizes, or the mix
// of operations that they are part of. Empty where they are.
func Unlike(a, b Made, op iotrace.Operation) string {
	if apart(a.Sizes, b.Sizes) > mostApart {
		return fmt.Sprintf("the sizes of the I/Os differ (%s of A's are of %s, %s of B's of %s), and larger ones take longer", most(a.Sizes), sizeOf(a.Sizes), most(b.Sizes), sizeOf(b.Sizes))
	}
	if apart(a.Mix, b.Mix) > mostApart {
		return fmt.Sprintf("the mix of operations differs (%s of A's are of this one, %s of B's), and each waits for the others", shareOf(a.Mix, op), shareOf(b.Mix, op))
	}
	return ""
}

// most is the share of the commonest size, and sizeOf that size.
func most(m map[int64]float64) string { return shareOf(m, commonest(m)) }

func sizeOf(m map[int64]float64) string { return units.FormatBlock(commonest(m)) }

func commonest(m map[int64]float64) int64 {
	keys := slices.Sorted(maps.Keys(m))
	return slices.MaxFunc(keys, func(a, b int64) int { return cmp.Compare(m[a], m[b]) })
}

func shareOf[K comparable](m map[K]float64, k K) string {
	sum := 0.0
	for _, v := range m {
		sum += v
	}
	return units.FormatShare(m[k] / sum)
}
