package analyze

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// BlockJudge decides during a comparison whether the rows of a workload have been measured precisely
// enough for the margins.
type BlockJudge struct{ Margins model.Margins }

// JudgeBlocks returns the state of the workload's least certain row: one that is not settled and, among
// those, the one with the widest interval.
func (j BlockJudge) JudgeBlocks(w model.Workload, blocks []model.Block) model.Contrast {
	worst := model.Contrast{Workload: w.Name, Metric: w.Metric, Direction: w.Directions()[0]}
	first := true
	for _, d := range flows(w) {
		pairs := pairUp(blocks, d)
		for _, m := range rowMetrics(w, d) {
			c, ok := pairedContrast(pairs, m)
			if !ok {
				continue
			}
			known := model.Contrast{Workload: w.Name, Direction: d, Metric: m, Ratio: ratio(c), Blocks: c.Blocks, Precise: c.Enough(j.Margins.Of(m))}
			if first || lessKnown(known, worst) {
				worst, first = known, false
			}
		}
	}
	return worst
}

func lessKnown(a, b model.Contrast) bool {
	switch {
	case a.Precise != b.Precise:
		return !a.Precise
	case (a.Ratio.Confidence == 0) != (b.Ratio.Confidence == 0):
		return a.Ratio.Confidence == 0
	}
	return a.Ratio.HalfWidth() > b.Ratio.HalfWidth()
}

// flows lists the directions of a workload that have a row, including the flush.
func flows(w model.Workload) []model.Direction {
	list := w.Directions()
	if w.Sync != "" {
		list = append(list, model.Sync)
	}
	return list
}

// rowMetrics returns the metrics by which a direction of a workload is compared: its headline and the
// 99th percentile.
func rowMetrics(w model.Workload, d model.Direction) []model.Metric {
	headline := w.Metric
	if d == model.Sync {
		headline = model.Latency
	}
	if headline == model.P99 {
		return []model.Metric{model.P99}
	}
	return []model.Metric{headline, model.P99}
}

// pair is one block in one direction.
type pair struct{ a, b timeline.Repeat }

// pairUp collects the blocks in which both sides have data for the direction.
func pairUp(blocks []model.Block, d model.Direction) []pair {
	var pairs []pair
	for _, b := range blocks {
		va, vb := timeline.Of(b.A, d), timeline.Of(b.B, d)
		if len(va) == 1 && len(vb) == 1 {
			pairs = append(pairs, pair{va[0], vb[0]})
		}
	}
	return pairs
}

// pairedContrast estimates a metric's contrast; false if the metric cannot be estimated on both sides.
func pairedContrast(pairs []pair, m model.Metric) (stats.Contrast, bool) {
	if len(pairs) == 0 {
		return stats.Contrast{}, false
	}
	a, b := pairFlows(pairs, m)
	if a == nil || b == nil || !a.has(m) || !b.has(m) {
		return stats.Contrast{}, false
	}
	var list []stats.Pair
	for _, p := range pairs {
		a, okA := logRepeat(p.a, m)
		b, okB := logRepeat(p.b, m)
		if okA && okB {
			list = append(list, stats.Pair{A: a, B: b})
		}
	}
	return stats.Paired(list, ratioFloor(a, b, m)), len(list) > 0
}

// published is the contrast of a finished comparison; certain is the number of blocks that were
// measured in any case.
func published(c stats.Contrast, certain int) stats.Contrast {
	if certain > 0 && c.Blocks > certain {
		return c.Looked()
	}
	return c
}

// pairFlows returns the repeats of either side.
func pairFlows(pairs []pair, m model.Metric) (a, b *flow) {
	var sideA, sideB []timeline.Repeat
	for _, p := range pairs {
		sideA, sideB = append(sideA, p.a), append(sideB, p.b)
	}
	return newFlow(sideA, m, model.Rounds), newFlow(sideB, m, model.Rounds)
}

// logRepeat is a repeat with the logarithm of its metric; false when it has none.
func logRepeat(v timeline.Repeat, m model.Metric) (stats.Repeat, bool) {
	t := timeline.Total(v.Seconds)
	value := t.Value(m)
	if !(value > 0) {
		return stats.Repeat{}, false
	}
	s := stats.Repeat{Value: math.Log(value), Begin: v.Seconds[0].Begin, End: v.Seconds[len(v.Seconds)-1].End}
	if _, merged := m.Percentile(); !merged {
		s.Seconds = timeline.Series(v.Seconds, m)
		for i := range s.Seconds {
			s.Seconds[i] /= value
		}
	}
	return s, true
}

// contrastFloor is the smallest half-width of a ratio of which only two figures are known.
func contrastFloor(m model.Metric) float64 { return math.Sqrt2 * floorOf(m) }

// ratioFloor is the smallest half-width of a ratio: the floors of both sides combined.
func ratioFloor(a, b *flow, m model.Metric) float64 { return math.Hypot(a.floor(m), b.floor(m)) }

// ratio converts a contrast to an estimate; Confidence is 0 if nothing is known.
func ratio(c stats.Contrast) model.Estimate {
	e := model.Estimate{Confidence: stats.Confidence}
	e.Value, e.Low, e.High = c.Ratio()
	if math.IsInf(e.High, 0) || math.IsNaN(e.High) {
		e.Low, e.High, e.Confidence = e.Value, e.Value, 0
	}
	return e
}
