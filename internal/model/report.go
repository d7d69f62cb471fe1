package model

import (
	"time"

	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/saturation"
)

// Estimate is a value with its interval, in base units.
type Estimate struct {
	Unit  string  `json:"unit"`
	Value float64 `json:"estimate"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Confidence is the nominal coverage of [Low, High], for example 0.95. 0 means that there is no
	// interval: Low and High then equal Value.
	Confidence float64 `json:"confidence"`
	// Open is set if there is no upper bound, because the events that make the value large were too
	// rare, or because the value is in the last bucket of the histogram. High is then the largest value seen.
	Open bool `json:"open,omitempty"`
}

// HalfWidth returns the larger relative distance from the value to a bound; 0 if the value is 0 or
// there is no interval (check Confidence first).
func (e Estimate) HalfWidth() float64 {
	if e.Value == 0 {
		return 0
	}
	return max(e.High-e.Value, e.Value-e.Low) / e.Value
}

// Verdict says whether a result can be trusted.
type Verdict string

// The verdicts, from best to worst.
const (
	Valid   Verdict = "valid"
	Suspect Verdict = "suspect"
	Invalid Verdict = "invalid"
)

// Severity is a rule's outcome.
type Severity string

// The severities. NotChecked never counts as a pass: the evidence was missing.
const (
	SeverityInvalid    Severity = "invalid"
	SeverityWarning    Severity = "warning"
	SeverityNote       Severity = "note"
	SeverityPassed     Severity = "passed"
	SeverityNotChecked Severity = "not-checked"
)

// Finding is a rule's outcome with its evidence.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Results names the workloads concerned; empty means the whole run.
	Results []string `json:"results,omitempty"`
	Message string   `json:"message"`
	// Evidence holds the figures behind the message, in base units.
	Evidence map[string]any `json:"evidence,omitempty"`
	// Next is the recommended next command or action; may be empty.
	Next string `json:"next,omitempty"`
}

// LatencySummary holds latencies in seconds. A percentile that the number of I/Os cannot support is
// absent. Low and High of P50 and P99 are in Metrics.
type LatencySummary struct {
	Unit  string   `json:"unit"`
	Count uint64   `json:"count"`
	Mean  float64  `json:"mean"`
	P50   *float64 `json:"p50,omitempty"`
	P90   *float64 `json:"p90,omitempty"`
	P99   *float64 `json:"p99,omitempty"`
	P999  *float64 `json:"p99.9,omitempty"`
	P9999 *float64 `json:"p99.99,omitempty"`
	Max   float64  `json:"max"`
}

// Result is the result of one workload in one direction. The headline metric's estimate is inlined;
// Metrics holds all estimates, including the headline.
type Result struct {
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	Metric    Metric    `json:"metric"`
	Estimate
	// Converged is set if the headline's half-width is within the requested precision.
	Converged bool `json:"converged"`
	// Seconds is the measured time behind the estimate, Repeats the number of repeats.
	Seconds float64 `json:"seconds"`
	Repeats int     `json:"repeats"`
	// Span is the time in seconds from the beginning of the first repeat to the end of the last: what
	// the storage does outside of it is unknown.
	Span    float64 `json:"span,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Findings names the rules that ended in invalid, warning or note.
	Findings []string            `json:"findings"`
	Latency  *LatencySummary     `json:"latency,omitempty"`
	Metrics  map[Metric]Estimate `json:"metrics"`
	// RepeatValues is the headline metric of each repeat in chronological order.
	RepeatValues []float64 `json:"repeat_values"`
	// LeftOut are the numbers of the steps that began before the storage had finished with earlier
	// writes, or before the queue had turned over; they are excluded from all figures.
	LeftOut []int `json:"left_out,omitempty"`
	// Series is the headline metric over time, at most 60 points, for sparklines.
	Series []float64 `json:"series,omitempty"`
	// Description is a short description of the workload: "rand read 4k qd64".
	Description string `json:"description"`
	// Sustained is the outcome of the long uninterrupted repeat; nil if there was none.
	Sustained *Sustained `json:"sustained,omitempty"`
	// App is what its transactions cost; nil if storage was loaded directly.
	App *AppResult `json:"app,omitempty"`
}

// Report is the whole outcome. Its JSON form is "loadline.report/v1": fields
// are only ever added.
type Report struct {
	Schema   string    `json:"schema"`
	Run      RunInfo   `json:"run"`
	Results  []Result  `json:"results"`
	Findings []Finding `json:"findings"`
	// Goals are in the order in which they were given.
	Goals []Goal `json:"goals,omitempty"`
	// Budgets show, per workload, where the time of one operation went, as far as is known.
	Budgets []budget.Budget `json:"budgets,omitempty"`
	// Comparison is the comparison with the baseline, if there was one.
	Comparison *Comparison `json:"comparison,omitempty"`
	// Courses are the data of the charts over time, in the order of Results.
	Courses []Course `json:"courses,omitempty"`
	// Sweep is the outcome of a sweep, Scales those of loading N volumes at once.
	Sweep  *Sweep  `json:"sweep,omitempty"`
	Scales []Scale `json:"scales,omitempty"`
	// Saturation says, for each load of an application, up to how many clients it grows, if enough
	// numbers of clients were measured.
	Saturation []saturation.Curve `json:"saturation,omitempty"`
	// Durability holds the durability tests that were made part of the run.
	Durability []Durability `json:"durability,omitempty"`
	// Ranking is the outcome of ranking several systems; Results is then empty, because each system has
	// its own report.
	Ranking *Ranking `json:"ranking,omitempty"`
}

// Charted reports whether the report includes the data of its charts, if it has results. One saved
// before charts existed does not, and is recomputed.
func (r *Report) Charted() bool { return len(r.Courses) > 0 || len(r.Results) == 0 }

// Only returns the report with those of its results for which keep is true: the part that a table of points shows.
func (r *Report) Only(keep func(Result) bool) *Report {
	part := *r
	part.Results = nil
	for _, res := range r.Results {
		if keep(res) {
			part.Results = append(part.Results, res)
		}
	}
	return &part
}

// Converged reports whether the result of a workload in a direction has converged, or is not there: points that were imported
// have none.
func (r *Report) Converged(workload string, d Direction) bool {
	for _, res := range r.Results {
		if res.Workload == workload && res.Direction == d {
			return res.Converged
		}
	}
	return true
}

// ReportSchema is the schema name of report.json.
const ReportSchema = "loadline.report/v1"

// RunInfo is the head of a report.
type RunInfo struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished,omitzero"`
	Status   Status    `json:"status"`
	Reason   string    `json:"reason,omitempty"`
	Command  []string  `json:"command,omitempty"`
	// Again is the command in the form used by advice; it is stored in the run directory only.
	Again  CommandLine `json:"-"`
	Note   string      `json:"note,omitempty"`
	Labels Labels      `json:"labels,omitempty"`
	Target Target      `json:"target"`
	Volume Volume      `json:"volume"`
	// Volumes are the volumes of a run that loads several at once, of which Volume is the first.
	Volumes  []Volume `json:"volumes,omitempty"`
	Schedule Schedule `json:"schedule"`
	Profile  string   `json:"profile"`
	// MeasuredSeconds is how long the repeats took, ramps and starts included; waits between them are not.
	MeasuredSeconds float64           `json:"measured_seconds"`
	Prepare         *Preparation      `json:"prepare,omitempty"`
	Environment     Environment       `json:"environment"`
	Tools           map[string]string `json:"tools"`
	Workloads       []Workload        `json:"workloads"`
	// Jobs are the exact job texts passed to the load tool, by workload.
	Jobs map[string]string `json:"jobs,omitempty"`
	// Directory is where the run is stored.
	Directory string `json:"directory,omitempty"`
	// Imported is set if the run was measured by another tool.
	Imported *Import `json:"imported,omitempty"`
}

// Same reports whether two descriptions are of one run. The ID is not enough: runs of several machines
// that began in the same second have the same, and their directories may be named alike, too.
func (r *RunInfo) Same(o *RunInfo) bool {
	return r.ID == o.ID && r.Directory == o.Directory && r.Started.Equal(o.Started) && r.Environment.Hostname == o.Environment.Hostname
}

// Began returns when the run was measured; the zero time if the source of an imported one does not say: Started is then when it was
// imported.
func (r *RunInfo) Began() time.Time {
	if r.Imported != nil {
		return r.Imported.Measured
	}
	return r.Started
}

// farthest is how many times a value may be as large as the lower end of its interval, and the upper end as the value, for the
// interval to be worth showing: after two repeats it may reach from one I/O per second to billions.
const farthest = 10.0

// Telling reports whether the estimate has an interval that is narrow enough to be of use while a measurement goes on.
func (e Estimate) Telling() bool {
	return e.Confidence > 0 && e.Low > 0 && e.Value < farthest*e.Low && (e.Open || e.High < farthest*e.Value)
}
