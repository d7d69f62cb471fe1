package model

// Stall is a stretch of a step, its ramp included, in which not one I/O ended, though
// some were in flight. A driver tells of those of LeastStall seconds and more.
type Stall struct {
	// Begin is in seconds since the step began.
	Begin   float64 `json:"begin"`
	Seconds float64 `json:"seconds"`
	// Cause is who stood still.
	Cause StallCause `json:"cause,omitempty"`
}

// LeastStall is the shortest Stall in seconds.
const LeastStall = 2

// StallCause is who stood still in a Stall.
type StallCause string

// The causes. The load generator may be suspended by a signal or a debugger, and the
// whole machine by who runs it.
const (
	StallStorage   StallCause = ""
	StallSuspended StallCause = "load generator suspended"
	StallMachine   StallCause = "machine"
)
