package analyze

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// Measured is a run with its report: one side of a comparison.
type Measured struct {
	Recorded *model.Recorded
	Report   *model.Report
}

// Alpha is the error probability allowed over all rows of a comparison or a ranking, as a round decimal
// number: without the binary rounding error.
var Alpha = math.Round(stats.Alpha*1e6) / 1e6

// Compare compares two runs, row by row: by pairs if the two were measured in blocks, otherwise by
// Welch's method on the logarithms of their repeats. If the rate of a side fell during a long repeat,
// the rate it fell to is compared with the other side's sustained rate. Everything is recomputed from
// the samples. Rows whose numbers are invalid on either side are unusable and excluded from Holm's
// adjustment.
func Compare(a, b Measured, margins model.Margins) *model.Comparison {
	c := &model.Comparison{
		Schema: model.ComparisonSchema, A: a.Report.Run, B: b.Report.Run, Method: model.Independent,
		Margins: margins, Alpha: Alpha,
		Rows: []model.Row{}, Findings: []model.Finding{},
	}
	if interleaved(a.Recorded, b.Recorded) {
		c.Method, c.ID = model.Paired, a.Recorded.Run.Comparison
	}
	c.Common, c.Differences = traits(&c.A, &c.B)
	c.Comparable = !slices.ContainsFunc(c.Differences, func(d model.Difference) bool { return d.NotComparable })
	var contrasts []stats.Contrast
	lastsA, lastsB := sustain(a.Recorded), sustain(b.Recorded)
	goodA, goodB := counted(a.Recorded, lastsA), counted(b.Recorded, lastsB)
	for _, w := range CommonWorkloads(a.Recorded, b.Recorded) {
		blocks := blocksOf(a.Recorded, b.Recorded, w.Name, goodA[w.Name], goodB[w.Name])
		modeA, modeB := modeOf(w, a.Recorded.Plan.Schedule.Mode, lastsA), modeOf(w, b.Recorded.Plan.Schedule.Mode, lastsB)
		fell := modeA != a.Recorded.Plan.Schedule.Mode || modeB != b.Recorded.Plan.Schedule.Mode
		if fell {
			// The blocks contain the burst.
			blocks = nil
		}
		bare := len(goodA[w.Name]) == 0 || len(goodB[w.Name]) == 0
		for _, d := range append(flows(w), model.Mixed) {
			ra, rb := find(a.Report.Results, w.Name, d), find(b.Report.Results, w.Name, d)
			if ra == nil || rb == nil {
				continue
			}
			pairs := pairUp(blocks, d)
			for _, m := range rowMetrics(w, d) {
				var known stats.Contrast
				ok := false
				if c.Method == model.Paired && !fell {
					known, ok = pairedContrast(pairs, m)
					known = published(known, a.Recorded.Plan.Schedule.MinRounds)
				} else if bare {
					known, ok = publishedContrast(ra.Metrics[m], rb.Metrics[m], m)
				} else {
					known, ok = independentContrast(goodA[w.Name], goodB[w.Name], d, m, modeA, modeB)
				}
				estimateA, hasA := ra.Metrics[m]
				estimateB, hasB := rb.Metrics[m]
				if !ok || !hasA || !hasB {
					continue
				}
				valueA, valueB := known.Sides()
				row := model.Row{
					Workload: w.Name, Direction: d, Metric: m, Description: w.Describe(), A: at(valueA, estimateA), B: at(valueB, estimateB),
					Ratio: ratio(known), P: known.P(), Adjusted: 1, Margin: margins.Of(m), Blocks: known.Blocks,
					Trust: worseVerdict(trustIn(a.Report.Findings, ra), trustIn(b.Report.Findings, rb)), Changes: changes(pairs, m), Sustained: fell,
				}
				c.Rows, contrasts = append(c.Rows, row), append(contrasts, known)
			}
		}
	}
	judgeRows(c.Rows, contrasts)
	withholdBeyond(c.Rows)
	c.Findings = compareFindings(c, a, b)
	for i := range c.Rows {
		c.Rows[i].NeededSeconds = neededSeconds(c, c.Rows[i])
	}
	c.Next = undecided(c)
	return c
}

// at moves an estimate to another value, with an interval of the same relative width.
func at(value float64, e model.Estimate) model.Estimate {
	if e.Value > 0 {
		e.Low, e.High = e.Low*value/e.Value, e.High*value/e.Value
	}
	e.Value = value
	return e
}

// interleaved reports whether the two runs are the two sides of one comparison.
func interleaved(a, b *model.Recorded) bool {
	return a.Run.Comparison != "" && a.Run.Comparison == b.Run.Comparison && a.Run.Side != b.Run.Side
}

// CommonWorkloads lists the workloads that both runs have, with the same definition, in A's order.
func CommonWorkloads(a, b *model.Recorded) []model.Workload {
	var list []model.Workload
	for _, w := range a.Plan.Workloads {
		if other, ok := b.Plan.Workload(w.Name); ok && other == w {
			list = append(list, w)
		}
	}
	return list
}

// judgeRows adjusts the p-values and sets the verdicts.
func judgeRows(rows []model.Row, contrasts []stats.Contrast) {
	var p []float64
	var usable []int
	for i := range rows {
		if rows[i].Trust == model.Invalid {
			rows[i].Verdict = model.Unusable
			continue
		}
		usable, p = append(usable, i), append(p, rows[i].P)
	}
	adjusted := stats.Holm(p)
	for k, i := range usable {
		r, c := &rows[i], contrasts[i]
		r.Adjusted = adjusted[k]
		r.Verdict = change(c.Gate(r.Margin, r.Adjusted), r.Metric.LowerIsBetter())
		if r.Verdict != model.Unclear || r.Sustained {
			// More blocks would add nothing to the rate that a long repeat fell to.
			continue
		}
		half := c.Settling(r.Margin)
		if n := c.BlocksFor(half); n > r.Blocks {
			r.Needed, r.Narrow = n, math.Expm1(half)
		}
	}
}

// withholdBeyond withdraws what is not known of percentiles beyond the last bucket: two of them can be any distance apart, and
// one is at least as far from another value as it seems.
func withholdBeyond(rows []model.Row) {
	for i := range rows {
		r := &rows[i]
		a, b := r.Metric.Beyond(r.A.Value), r.Metric.Beyond(r.B.Value)
		known := a != b && (b && r.Verdict == model.Worse || a && r.Verdict == model.Better)
		if (a || b) && !known && r.Verdict != model.Unusable {
			r.Verdict, r.Needed, r.Narrow = model.Unclear, 0, 0
		}
	}
}

// change turns the position of the ratio into a verdict on B.
func change(p stats.Place, lowerIsBetter bool) model.Change {
	switch {
	case p == stats.Same:
		return model.Same
	case p == stats.Unclear:
		return model.Unclear
	case (p == stats.Larger) == lowerIsBetter:
		return model.Worse
	}
	return model.Better
}

// blocksOf lists the complete blocks of a workload in time order: both repeats were made, succeeded and
// count. It is empty for runs that were not interleaved. goodA and goodB are the samples that count.
func blocksOf(a, b *model.Recorded, workload string, goodA, goodB []model.Sample) []model.Block {
	if !interleaved(a, b) {
		return nil
	}
	sa, sb := blockSteps(a, workload), blockSteps(b, workload)
	byStepA, byStepB := byStep(goodA), byStep(goodB)
	var numbers []int
	for n := range sa {
		if len(byStepA[sa[n]]) > 0 && len(byStepB[sb[n]]) > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	blocks := make([]model.Block, len(numbers))
	for i, n := range numbers {
		blocks[i] = model.Block{A: byStepA[sa[n]], B: byStepB[sb[n]]}
	}
	return blocks
}

// blockSteps maps the blocks of a workload to the steps that succeeded.
func blockSteps(rec *model.Recorded, workload string) map[int]int {
	steps, bad := map[int]int{}, map[int]bool{}
	for _, r := range rec.Run.Steps {
		if r.Step.Workload != workload || r.Step.Block == 0 {
			continue
		}
		steps[r.Step.Block] = r.Step.Number
		bad[r.Step.Block] = bad[r.Step.Block] || r.Error != "" || r.EndedEarly
	}
	for n, b := range bad {
		if b {
			delete(steps, n)
		}
	}
	return steps
}

func byStep(samples []model.Sample) map[int][]model.Sample {
	m := map[int][]model.Sample{}
	for _, s := range samples {
		m[s.Step] = append(m[s.Step], s)
	}
	return m
}

// independentContrast compares two runs that were not interleaved: repeats with repeats or, if a run
// has only one, by its published interval.
func independentContrast(a, b []model.Sample, d model.Direction, m model.Metric, modeA, modeB model.Mode) (stats.Contrast, bool) {
	fa, fb := newFlow(timeline.Of(a, d), m, modeA), newFlow(timeline.Of(b, d), m, modeB)
	if fa == nil || fb == nil || !fa.has(m) || !fb.has(m) {
		return stats.Contrast{}, false
	}
	if len(fa.repeats) == 1 || len(fb.repeats) == 1 {
		va, ha := logEstimate(fa, m)
		vb, hb := logEstimate(fb, m)
		return stats.Known(va, ha, vb, hb, ratioFloor(fa, fb, m)), true
	}
	return stats.Independent(logRepeats(fa, m), logRepeats(fb, m), ratioFloor(fa, fb, m)), true
}

// logEstimate is the published estimate on the logarithmic scale.
func logEstimate(f *flow, m model.Metric) (value, half float64) {
	e, _ := f.estimate(m)
	if e.Confidence == 0 {
		return math.Log(e.Value), math.Inf(1)
	}
	return math.Log(e.Value), math.Log(e.High / e.Value)
}

func logRepeats(f *flow, m model.Metric) []stats.Repeat {
	var list []stats.Repeat
	for _, v := range f.repeats {
		if s, ok := logRepeat(v, m); ok {
			list = append(list, s)
		}
	}
	return list
}

// changes is B/A − 1 of each block.
func changes(pairs []pair, m model.Metric) []float64 {
	list := []float64{}
	for _, p := range pairs {
		a, okA := logRepeat(p.a, m)
		b, okB := logRepeat(p.b, m)
		if okA && okB {
			list = append(list, math.Expm1(b.Value-a.Value))
		}
	}
	return list
}

func find(results []model.Result, workload string, d model.Direction) *model.Result {
	for i := range results {
		if results[i].Workload == workload && results[i].Direction == d {
			return &results[i]
		}
	}
	return nil
}

// worseVerdict is the worse of two verdicts.
func worseVerdict(a, b model.Verdict) model.Verdict {
	rank := []model.Verdict{model.Valid, model.Suspect, model.Invalid}
	return rank[max(0, slices.Index(rank, a), slices.Index(rank, b))]
}
