package model

// Stall is an interval of a step, ramp included, in which no I/O completed although some were in
// flight. A driver reports stalls of LeastStall seconds or more.
type Stall struct {
	// Begin is in seconds since the step began.
	Begin   float64 `json:"begin"`
	Seconds float64 `json:"seconds"`
	// Cause is what was stalled.
	Cause StallCause `json:"cause,omitempty"`
}

// LeastStall is the shortest Stall in seconds.
const LeastStall = 2

// StallCause is what was stalled in a Stall.
type StallCause string

// The causes. The load generator may be suspended by a signal or a debugger, and the whole machine by
// its hypervisor.
const (
	StallStorage   StallCause = ""
	StallSuspended StallCause = "load generator suspended"
	StallMachine   StallCause = "machine"
)
