package iotrace

import (
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// ComparisonSchema is the schema name of a comparison of two traces.
const ComparisonSchema = "loadline.trace-comparison/v1"

// Verdict is the conclusion about a row. It is never "better": a trace sees what others requested, not
// what the device could do.
type Verdict string

// The verdicts: Faster and Slower apply to latencies, More and Fewer to rates. NotComparable is for latencies
// of dissimilar I/Os, which are not judged; Unusable is for a trace that did not see enough.
const (
	Faster        Verdict = "faster"
	Slower        Verdict = "slower"
	More          Verdict = "more"
	Fewer         Verdict = "fewer"
	Same          Verdict = "same"
	Unclear       Verdict = "unclear"
	NotComparable Verdict = "not-comparable"
	Unusable      Verdict = "unusable"
)

// Words is the verdict as people read it: "not comparable".
func (v Verdict) Words() string { return strings.ReplaceAll(string(v), "-", " ") }

// Compared is one metric of one operation in two traces, for a device or for the processes of one name.
type Compared struct {
	// Device is the device of A, DeviceB that of B if it has another name.
	Device    string    `json:"device"`
	DeviceB   string    `json:"device_b,omitempty"`
	Operation Operation `json:"operation"`
	// Command selects all processes of this name together; empty means all I/O of the device.
	Command string         `json:"command,omitempty"`
	Metric  model.Metric   `json:"metric"`
	A       model.Estimate `json:"a"`
	B       model.Estimate `json:"b"`
	// Ratio is B as a multiple of A.
	Ratio    model.Estimate `json:"ratio"`
	P        float64        `json:"p"`
	Adjusted float64        `json:"adjusted_p"`
	Margin   float64        `json:"margin"`
	Verdict  Verdict        `json:"verdict"`
	// Reason says why nothing is concluded.
	Reason string `json:"reason,omitempty"`
}

// Comparison is the difference between two traces, loadline.trace-comparison/v1: fields are only ever
// added.
type Comparison struct {
	Schema string `json:"schema"`
	A      Run    `json:"a"`
	B      Run    `json:"b"`
	// Caution is what every reader needs to know about the comparison.
	Caution string        `json:"caution"`
	Margins model.Margins `json:"margins"`
	Alpha   float64       `json:"alpha"`
	Rows    []Compared    `json:"rows"`
	// LeftOut lists what only one of the two traces has.
	LeftOut  []string        `json:"left_out,omitempty"`
	Findings []model.Finding `json:"findings"`
}

// Name returns what the row is about: devices, operation and command.
func (r *Compared) Name() string {
	name := r.Device
	if r.DeviceB != "" {
		name += " and " + r.DeviceB
	}
	name += " " + string(r.Operation)
	if r.Command != "" {
		name += " of " + r.Command
	}
	return name
}
