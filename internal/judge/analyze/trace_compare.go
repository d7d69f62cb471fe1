package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/timeline"
	"github.com/loadline/loadline/internal/model/units"
)

// TracePair is the same thing in two traces: the flows, and the row that names them.
type TracePair struct {
	A, B Flow
	Row  iotrace.Compared
	// Reason says why its latencies are not judged; DifferentIO is set if the reason concerns the I/Os, and
	// not the trace.
	Reason      string
	DifferentIO bool
}

// traceMetrics are the metrics by which two traces are compared.
var traceMetrics = []model.Metric{model.IOPS, model.Latency, model.P50, model.P99}

// CompareFlows makes the rows of pairs and judges them together: one row for each metric with an
// interval on both sides.
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
			if pair.Reason != "" && (m != model.IOPS || !pair.DifferentIO) {
				row.Verdict, row.Reason = iotrace.Unusable, pair.Reason
				if pair.DifferentIO {
					row.Verdict = iotrace.NotComparable
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

// mostApart is the part of two distributions that may differ for the I/Os to count as alike: half the
// sum of the differences between the shares.
const mostApart = 0.10

// apart is the part by which two distributions differ, from 0 to 1.
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

// Made is the composition of a load: the number of I/Os and of bytes in each size class of an
// operation, and the number of I/Os of each operation on its device.
type Made struct {
	Sizes, Bytes map[int64]float64
	Mix          map[iotrace.Operation]float64
}

// mean is the mean size of the I/Os of a class.
func (m *Made) mean(class int64) float64 { return m.Bytes[class] / m.Sizes[class] }

// mostLarger is how much the mean I/O sizes within one class may differ: a class extends up to twice
// its lower bound, and 12k takes longer than 8k on the same device. I/Os and bytes are counted, not
// sampled, so the only measurement error is random variation, which chance allows for. 5 % of the size
// are at most 5 % of a latency, the margin by which rates and means are judged.
const mostLarger = 0.05

// With the devices' counters there is one class, 0, for all sizes of an operation: the bound then
// applies to the overall mean. I/Os of 4k and 128k may have the same mean as I/Os of 64k, so a
// comparison of such traces says that their sizes were not checked.

// chance is how far the means over two numbers of I/Os of one class may differ by chance: three
// standard errors. Between s and 2s no size distribution has a standard deviation above 1/√8 of its
// mean; for class 0 it may be larger, and is unknown.
func chance(a, b float64) float64 { return 3 * math.Sqrt((1/a+1/b)/8) }

// moved reports whether the I/Os of a class have different sizes in B than in A.
func (m *Made) moved(b *Made, class int64) bool {
	x, y := m.mean(class), b.mean(class)
	return x > 0 && y > 0 && math.Max(x, y)/math.Min(x, y)-1 > math.Max(mostLarger, chance(m.Sizes[class], b.Sizes[class]))
}

// resized is the share of the I/Os, from 0 to 1, that both sides have in a class but with different
// mean sizes, and the class with most of them.
func (m *Made) resized(b *Made) (part float64, class int64) {
	most := 0.0
	for _, k := range slices.Sorted(maps.Keys(m.Sizes)) {
		both := math.Min(partOf(m.Sizes, k), partOf(b.Sizes, k))
		if both == 0 || !m.moved(b, k) {
			continue
		}
		part += both
		if both > most {
			most, class = both, k
		}
	}
	return part, class
}

// DifferentIO says why the I/Os of an operation differ between the sides: by their sizes, or by the mix of
// operations that they are part of. It is empty if they do not.
func DifferentIO(a, b Made, op iotrace.Operation) string {
	moved := apart(a.Sizes, b.Sizes)
	if moved > mostApart {
		return fmt.Sprintf("the sizes of the I/Os differ (%s of A's are of %s, %s of B's of %s), and larger ones take longer", most(a.Sizes), sizeOf(a.Sizes), most(b.Sizes), sizeOf(b.Sizes))
	}
	if part, class := a.resized(&b); moved+part > mostApart && part > 0 {
		of := "all I/Os together"
		if class > 0 {
			of = units.FormatBlock(class) + " to " + units.FormatBlock(2*class)
		}
		return fmt.Sprintf("not comparable: the mean sizes of the I/Os differ (of %s, A's are of %s and B's of %s), and larger ones take longer", of, units.FormatSize(int64(a.mean(class))), units.FormatSize(int64(b.mean(class))))
	}
	if apart(a.Mix, b.Mix) > mostApart {
		return fmt.Sprintf("the mix of operations differs (%s of A's are of this one, %s of B's), and each waits for the others", shareOf(a.Mix, op), shareOf(b.Mix, op))
	}
	return ""
}

// most is the share of the commonest size; sizeOf is that size.
func most(m map[int64]float64) string { return shareOf(m, commonest(m)) }

func sizeOf(m map[int64]float64) string { return units.FormatBlock(commonest(m)) }

func commonest(m map[int64]float64) int64 {
	keys := slices.Sorted(maps.Keys(m))
	return slices.MaxFunc(keys, func(a, b int64) int { return cmp.Compare(m[a], m[b]) })
}

func shareOf[K comparable](m map[K]float64, k K) string { return units.FormatShare(partOf(m, k)) }

// partOf is the share of one key, 0 if there is nothing.
func partOf[K comparable](m map[K]float64, k K) float64 {
	sum := 0.0
	for _, v := range m {
		sum += v
	}
	if sum == 0 {
		return 0
	}
	return m[k] / sum
}
