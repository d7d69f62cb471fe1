package progress

import (
	"math"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// schema is the schema name in every event.
const schema = "loadline.progress/v1"

// The kinds of event.
const (
	planned = "plan"    // what is going to be measured
	phase   = "phase"   // how far a phase before the measurement has got, or the ramp of a repeat
	repeat  = "repeat"  // a repeat begins
	second  = "second"  // a second of a repeat
	result  = "result"  // a repeat has ended
	message = "message" // a line for people
	ended   = "end"     // the command ends
)

// event is one line. docs/progress.schema.json says which fields each kind of event has.
type event struct {
	Schema string    `json:"schema"`
	Event  string    `json:"event"`
	Time   time.Time `json:"time"`
	// Elapsed is seconds since the measurement began, Remaining the estimated number left, and ETA
	// the estimated end.
	Elapsed   *float64  `json:"elapsed,omitempty"`
	Remaining *float64  `json:"remaining,omitempty"`
	ETA       time.Time `json:"eta,omitzero"`

	// Fields of a plan.
	Run       string        `json:"run,omitempty"`
	Directory string        `json:"directory,omitempty"`
	Targets   []string      `json:"targets,omitempty"`
	Labels    model.Labels  `json:"labels,omitempty"`
	Workloads []plannedLoad `json:"workloads,omitempty"`

	// Fields of a phase; Done and Total are in Unit.
	Phase string   `json:"phase,omitempty"`
	Done  *float64 `json:"done,omitempty"`
	Total *float64 `json:"total,omitempty"`
	Rate  *float64 `json:"rate,omitempty"`
	// LimitIn is in how many seconds a time limit ends the phase, if it is not done by then.
	LimitIn *float64 `json:"limit_in,omitempty"`
	// Cut and Cuts are the number of the cut in a durability test and their total.
	Cut  int `json:"cut,omitempty"`
	Cuts int `json:"cuts,omitempty"`

	// Of a repeat: its number in the run, how many are planned as far as that is known, and which
	// repeat of its workload it is.
	Side      model.Side      `json:"side,omitempty"`
	Workload  string          `json:"workload,omitempty"`
	Direction model.Direction `json:"direction,omitempty"`
	Number    int             `json:"number,omitempty"`
	Planned   int             `json:"planned,omitempty"`
	Repeat    int             `json:"repeat,omitempty"`
	// Worker is the worker that a second belongs to, if there are several, from 0.
	Worker *int         `json:"worker,omitempty"`
	Metric model.Metric `json:"metric,omitempty"`
	Value  *float64     `json:"value,omitempty"`
	Unit   string       `json:"unit,omitempty"`
	// Flushes is how often per second an application flushed its log, in the last seconds.
	Flushes *float64 `json:"flushes,omitempty"`
	// Interval is the interval of Value, over all repeats of the workload so far.
	Interval  *interval `json:"interval,omitempty"`
	Converged *bool     `json:"converged,omitempty"`
	// Observed and ObserveFor say why a narrow interval has not converged: for how many seconds the storage has been
	// observed, and for how many it has to be.
	Observed   *float64 `json:"observed,omitempty"`
	ObserveFor *float64 `json:"observe_for,omitempty"`
	// Change is what is known about the workload's worst row in a comparison.
	Change *change `json:"change,omitempty"`
	Error  string  `json:"error,omitempty"`

	// Message is a line for people.
	Message string `json:"message,omitempty"`
	// ExitCode is the command's exit code.
	ExitCode *int `json:"exit_code,omitempty"`
}

// plannedLoad is a workload of a plan.
type plannedLoad struct {
	Name   string       `json:"name"`
	Metric model.Metric `json:"metric"`
	Unit   string       `json:"unit"`
}

// interval is the interval of a value; High is absent if there is no upper bound.
type interval struct {
	Low        float64  `json:"low"`
	High       *float64 `json:"high,omitempty"`
	Confidence float64  `json:"confidence"`
}

// change is B as a multiple of A.
type change struct {
	Metric   model.Metric `json:"metric"`
	Ratio    float64      `json:"ratio"`
	Interval *interval    `json:"interval,omitempty"`
	Precise  bool         `json:"precise"`
}

// number returns a pointer to v, or nil if it is not a known number.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// intervalOf returns the interval of an estimate; nil if it has none, or one that tells nothing yet.
func intervalOf(e model.Estimate) *interval {
	if !e.Telling() || number(e.Low) == nil {
		return nil
	}
	i := &interval{Low: e.Low, Confidence: e.Confidence}
	if !e.Open {
		i.High = number(e.High)
	}
	return i
}
