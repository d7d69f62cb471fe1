package model

import (
	"time"

	"github.com/loadline/loadline/internal/model/budget"
)

// Side names one of the two things that are compared. A is the baseline: a
// change is from A to B.
type Side string

// The sides.
const (
	SideA Side = "A"
	SideB Side = "B"
)

// SideStep is one repeat in a comparison: a step of one of its sides.
type SideStep struct {
	// Side is 0 for A and 1 for B.
	Side int
	Step Step
}

// Block holds the samples of one block, a repeat of each side to the same workload.
type Block struct{ A, B []Sample }

// Contrast is what is known, while a comparison goes on, of the row of a
// workload that is known worst.
type Contrast struct {
	Workload  string
	Direction Direction
	Metric    Metric
	// Ratio is B as a multiple of A.
	Ratio  Estimate
	Blocks int
	// Settled tells that no row of the workload needs more blocks.
	Settled bool
}

// Change is the verdict on a row of a comparison.
type Change string

// The verdicts: B is better or worse than A by more than the margin, the same
// within the margin, unclear as long as the interval allows for more than one of
// these, or unusable because a number behind it is invalid.
const (
	Better   Change = "better"
	Worse    Change = "worse"
	Same     Change = "same"
	Unclear  Change = "unclear"
	Unusable Change = "unusable"
)

// Method tells how the two sides were brought together.
type Method string

// The methods: blocks of one repeat each, side by side; or two runs after each
// other, where what changed between them is part of the difference.
const (
	Paired      Method = "paired"
	Independent Method = "independent"
)

// Margins are the relative changes that count as no change: P99 for the
// percentiles from p90 up, Rate for all other metrics.
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
	// ID names a comparison that was measured as one; empty for two runs of their own.
	ID     string  `json:"id,omitempty"`
	A      RunInfo `json:"a"`
	B      RunInfo `json:"b"`
	Method Method  `json:"method"`
	// Margins are those of the verdicts; Alpha is the error allowed over all rows.
	Margins Margins `json:"margins"`
	Alpha   float64 `json:"alpha"`
	// Common lists what both sides share, Differences what they do not.
	Common      []Trait      `json:"common"`
	Differences []Difference `json:"differences"`
	// Comparable is false when any difference makes the two unlike things.
	Comparable bool      `json:"comparable"`
	Rows       []Row     `json:"rows"`
	Findings   []Finding `json:"findings"`
	// Budgets put where the time of one operation went side by side, of the workloads of which
	// that is known on both sides.
	Budgets []budget.Comparison `json:"budgets,omitempty"`
	// Directory is where a comparison that was measured as one is saved.
	Directory string    `json:"directory,omitempty"`
	Compared  time.Time `json:"compared,omitzero"`
}

// ComparisonSchema is the schema name of comparison.json.
const ComparisonSchema = "loadline.comparison/v1"

// Trait is something that both sides have in common, in words.
type Trait struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Difference is something in which the sides differ, in words; "–" is unknown.
type Difference struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
	// Unlike tells that the sides are unlike things because of it, so that a change
	// cannot be put down to what one wants to compare.
	Unlike bool `json:"unlike"`
}

// Row compares one metric of one workload in one direction.
type Row struct {
	Workload    string    `json:"workload"`
	Direction   Direction `json:"direction"`
	Metric      Metric    `json:"metric"`
	Description string    `json:"description"`
	// A and B are the geometric means over the blocks, or over the repeats of runs that were
	// not interleaved. A side's own report has arithmetic means and percentiles of all its
	// I/Os, which are other numbers where its repeats differ much.
	A Estimate `json:"a"`
	B Estimate `json:"b"`
	// Ratio is B as a multiple of A, with unit "": the quotient of the two.
	Ratio Estimate `json:"ratio"`
	// P is the two-sided p-value of the null hypothesis that nothing changed, Adjusted the
	// same after Holm.
	P        float64 `json:"p"`
	Adjusted float64 `json:"adjusted_p"`
	Margin   float64 `json:"margin"`
	Verdict  Change  `json:"verdict"`
	// Blocks is the number of pairs, or of repeats of the side that has fewer.
	Blocks int `json:"blocks"`
	// Needed is the number of blocks, in all, that would probably settle an unclear
	// row by narrowing its interval to ± Narrow; 0 when that cannot be told.
	Needed int     `json:"blocks_needed,omitempty"`
	Narrow float64 `json:"narrow,omitempty"`
	// Trust is the worse of the two sides' verdicts on the workload.
	Trust Verdict `json:"trust"`
	// Changes is B/A − 1 of each block, in the order of time; none for runs that
	// were not interleaved.
	Changes []float64 `json:"changes"`
	// Sustained tells that the rate of a side fell in a look without a pause, so that what
	// both sides sustain is compared and not their blocks.
	Sustained bool `json:"sustained,omitempty"`
}

// Goal is what a result was asked to reach, and whether it does.
type Goal struct {
	// Text is the goal as the user wrote it.
	Text      string    `json:"text"`
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	Metric    Metric    `json:"metric"`
	// Above tells that the value must be above Bound (base units), otherwise below.
	Above    bool     `json:"above"`
	Bound    float64  `json:"bound"`
	Estimate Estimate `json:"estimate"`
	Outcome  Outcome  `json:"outcome"`
	// Message is a sentence; Next tells what would decide an undecided goal, and where a
	// missed one would be met.
	Message string `json:"message"`
	Next    string `json:"next,omitempty"`
}

// Outcome reports whether a goal was reached.
type Outcome string

// The outcomes: the whole interval lies on the right or on the wrong side of the
// bound, or the bound lies within it (or there is no interval, or no trust).
const (
	Met       Outcome = "met"
	Missed    Outcome = "missed"
	Undecided Outcome = "undecided"
)
