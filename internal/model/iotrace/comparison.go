package iotrace

import "github.com/loadline/loadline/internal/model"

// ComparisonSchema is the schema name of a comparison of two traces.
const ComparisonSchema = "loadline.trace-comparison/v1"

// Verdict is what is concluded of a row. It is never "better": a trace sees what others asked
// for, and not what the device could do.
type Verdict string

// The verdicts: Faster and Slower are of latencies, More and Fewer of rates. Unlike are
// latencies of I/Os that are not alike, which are not judged; Unusable are those of a trace
// that did not see enough.
const (
	Faster   Verdict = "faster"
	Slower   Verdict = "slower"
	More     Verdict = "more"
	Fewer    Verdict = "fewer"
	Same     Verdict = "same"
	Unclear  Verdict = "unclear"
	Unlike   Verdict = "unlike"
	Unusable Verdict = "unusable"
)

// Compared is one metric of one operation, on a device or of the processes of one name, in
// two traces.
type Compared struct {
	// Device is that of A, DeviceB that of B where it has another name.
	Device    string    `json:"device"`
	DeviceB   string    `json:"device_b,omitempty"`
	Operation Operation `json:"operation"`
	// Command is of processes with this name, all together; empty for all I/O of the device.
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
	// Reason is why nothing is concluded.
	Reason string `json:"reason,omitempty"`
}

// Comparison is what differs between two traces, loadline.trace-comparison/v1: fields are
// only ever added.
type Comparison struct {
	Schema string `json:"schema"`
	A      Run    `json:"a"`
	B      Run    `json:"b"`
	// Caution is what every reader must know of it.
	Caution string        `json:"caution"`
	Margins model.Margins `json:"margins"`
	Alpha   float64       `json:"alpha"`
	Rows    []Compared    `json:"rows"`
	// LeftOut are what only one of the two has.
	LeftOut  []string        `json:"left_out,omitempty"`
	Findings []model.Finding `json:"findings"`
}

// Name says what the row is about: devices, operation and command.
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
