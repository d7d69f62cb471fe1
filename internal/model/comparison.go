package model

import (
	"github.com/loadline/loadline/internal/model/budget"
)

// Side names one of the two things being compared. A is the baseline: a change is from A to B.
type Side string

// The sides.
const (
	SideA Side = "A"
	SideB Side = "B"
)

// SideStep is one repeat in a comparison: a step on one of its sides.
type SideStep struct {
	// Side is 0 for A and 1 for B.
	Side int
	Step Step
}

// Block holds the samples of one block: one repeat of the same workload on each side.
type Block struct{ A, B []Sample }

// Contrast is what is known so far, during a comparison, about the least certain row of a workload.
type Contrast struct {
	Workload  string
	Direction Direction
	Metric    Metric
	// Ratio is B as a multiple of A.
	Ratio  Estimate
	Blocks int
	// Precise is set if no row of the workload needs more blocks: each is decided, or its interval narrower than the margin.
	Precise bool
}

// Change is the verdict on a row of a comparison.
type Change string

// The verdicts: B is better or worse than A by more than the margin, the same within the margin,
// unclear while the interval allows more than one of these, or unusable because a number behind it is
// invalid.
const (
	Better   Change = "better"
	Worse    Change = "worse"
	Same     Change = "same"
	Unclear  Change = "unclear"
	Unusable Change = "unusable"
)

// Method is how the measurements of the two sides were scheduled.
type Method string

// The methods: interleaved blocks of one repeat each, or two runs one after the other, in which case
// the difference includes whatever changed between them.
const (
	Paired      Method = "paired"
	Independent Method = "independent"
)

// Margins are the relative changes that count as no change: P99 applies to percentiles from p90 up,
// Rate to all other metrics.
type Margins struct {
	Rate float64 `json:"rate"`
	P99  float64 `json:"p99"`
}

// Of returns the margin of a metric.
func (m Margins) Of(metric Metric) float64 {
	switch metric {
	case P90, P99, P999, P9999:
		return m.P99
	}
	return m.Rate
}

// Comparison is the outcome of comparing two runs. Its JSON form is
// "loadline.comparison/v1": fields are only ever added.
type Comparison struct {
	Schema string `json:"schema"`
	// ID identifies a comparison that was measured as one; empty for two separate runs.
	ID     string  `json:"id,omitempty"`
	A      RunInfo `json:"a"`
	B      RunInfo `json:"b"`
	Method Method  `json:"method"`
	// Margins are the margins used for the verdicts; Alpha is the error rate allowed over all rows.
	Margins Margins `json:"margins"`
	Alpha   float64 `json:"alpha"`
	// Common lists what both sides have in common, Differences where they differ.
	Common      []Trait      `json:"common"`
	Differences []Difference `json:"differences"`
	// Comparable is false if any difference means that the two sides cannot be compared.
	Comparable bool      `json:"comparable"`
	Rows       []Row     `json:"rows"`
	Findings   []Finding `json:"findings"`
	// Next is the command that would probably decide the unclear rows that can be decided in a reasonable time (Decidable);
	// empty if there are none.
	Next string `json:"next,omitempty"`
	// Budgets compare the time budgets of an operation, for the workloads for which both sides have
	// one.
	Budgets []budget.Comparison `json:"budgets,omitempty"`
	// Directory is where a comparison that was measured as one is stored.
	Directory string `json:"directory,omitempty"`
}

// ComparisonSchema is the schema name of comparison.json.
const ComparisonSchema = "loadline.comparison/v1"

// Trait is a property that both sides share, in words.
type Trait struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Difference is a property in which the sides differ, in words; "–" is unknown.
type Difference struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
	// NotComparable is set if this difference makes the sides too unlike to attribute a change to what is
	// being compared.
	NotComparable bool `json:"not_comparable"`
}

// Row compares one metric of one workload in one direction.
type Row struct {
	Workload    string    `json:"workload"`
	Direction   Direction `json:"direction"`
	Metric      Metric    `json:"metric"`
	Description string    `json:"description"`
	// A and B are geometric means over the blocks, or over the repeats if the runs were not
	// interleaved. A side's own report has arithmetic means and percentiles of all its I/Os, which can
	// differ considerably if its repeats vary a lot.
	A Estimate `json:"a"`
	B Estimate `json:"b"`
	// Ratio is B as a multiple of A (the quotient of the two), with unit "".
	Ratio Estimate `json:"ratio"`
	// P is the two-sided p-value under the null hypothesis of no change, Adjusted the same after Holm's
	// correction.
	P        float64 `json:"p"`
	Adjusted float64 `json:"adjusted_p"`
	Margin   float64 `json:"margin"`
	Verdict  Change  `json:"verdict"`
	// Blocks is the number of pairs, or of repeats on the side that has fewer.
	Blocks int `json:"blocks"`
	// Needed is the total number of blocks that would probably decide an unclear row, by narrowing its
	// interval to ± Narrow; 0 if unknown.
	Needed int     `json:"blocks_needed,omitempty"`
	Narrow float64 `json:"narrow,omitempty"`
	// NeededSeconds is how much longer an unclear row has to be measured for that, alone and on both sides together: anew if
	// the runs were not interleaved; 0 if unknown.
	NeededSeconds float64 `json:"needed_seconds,omitempty"`
	// Trust is the worse of the two sides' verdicts on the workload.
	Trust Verdict `json:"trust"`
	// Changes is B/A − 1 of each block in chronological order; empty if the runs were not interleaved.
	Changes []float64 `json:"changes"`
	// Sustained is set if the rate of a side dropped during a long uninterrupted repeat, so that
	// sustained rates are compared and not blocks.
	Sustained bool `json:"sustained,omitempty"`
	// Note says why an unclear row is unclear and what would decide it, or what a row of sustained rates
	// leaves out; it is set in documents only.
	Note string `json:"note,omitempty"`
}

// longestRow is how many seconds of measuring are in reason to decide one row.
const longestRow = 3600.0

// Decidable reports whether the row is unclear and more measuring would probably decide it in a reasonable time: an hour.
func (r Row) Decidable() bool { return r.NeededSeconds > 0 && r.NeededSeconds <= longestRow }

// Same reports whether two comparisons are of the same runs.
func (c *Comparison) Same(o *Comparison) bool { return c.A.Same(&o.A) && c.B.Same(&o.B) }

// Goal is a bound that a result was asked to reach, and whether it does.
type Goal struct {
	// Text is the goal as the user wrote it.
	Text      string    `json:"text"`
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	Metric    Metric    `json:"metric"`
	// Above is set if the value must be above Bound (base units), otherwise it must be below.
	Above    bool     `json:"above"`
	Bound    float64  `json:"bound"`
	Estimate Estimate `json:"estimate"`
	Outcome  Outcome  `json:"outcome"`
	// Message is a sentence; Next says what would decide an undecided goal, and how a missed one could
	// be reached.
	Message string `json:"message"`
	Next    string `json:"next,omitempty"`
}

// Outcome says whether a goal was reached.
type Outcome string

// The outcomes: the whole interval lies on the right side of the bound, or on the wrong side, or the
// bound lies within it (or there is no interval, or the result is not trusted).
const (
	Met       Outcome = "met"
	Missed    Outcome = "missed"
	Undecided Outcome = "undecided"
)
