package model

import "encoding/json"

// ProtocolVersion is the version of the messages below; hello carries it.
const ProtocolVersion = 1

// Request is a JSON line from the engine to a worker. Exactly one of the
// pointers is set.
type Request struct {
	// ID is echoed by every event that answers the request.
	ID      int             `json:"id"`
	Probe   *ProbeRequest   `json:"probe,omitempty"`
	Prepare *PrepareRequest `json:"prepare,omitempty"`
	Start   *StartRequest   `json:"start,omitempty"`
	// Clock asks for the worker's clock time.
	Clock *struct{} `json:"clock,omitempty"`
	// Idle and Ceiling gather evidence in addition to the load.
	Idle    *IdleRequest    `json:"idle,omitempty"`
	Ceiling *CeilingRequest `json:"ceiling,omitempty"`
	// Stop ends the request with this ID early; what was measured so far is kept.
	Stop *StopRequest `json:"stop,omitempty"`
	// Cleanup removes what the worker created on the volume.
	Cleanup *struct{} `json:"cleanup,omitempty"`
	// Bye ends the session after a cleanup.
	Bye *struct{} `json:"bye,omitempty"`
	// Discard, sent with Bye, discards the space that was filled on a block device.
	Discard bool `json:"discard,omitempty"`
	// Load is a request to a client's worker; its contents are defined by package remote.
	Load json.RawMessage `json:"load,omitempty"`
	// Client forwards an event from the client's worker to the server's worker.
	Client *Event `json:"client,omitempty"`
}

// ProbeRequest asks what the target is and how it can be measured.
type ProbeRequest struct {
	Target Target `json:"target"`
	// MayWrite allows the two-second bandwidth probe and the direct-I/O probe to write (to a file of
	// our own, or to a target whose data may be destroyed).
	MayWrite bool `json:"may_write"`
	// Destroy is the target that the user allowed to be overwritten, as typed.
	Destroy string `json:"destroy,omitempty"`
	// Share is a common name for the workers that share one existing file or device; others do not get
	// access. Empty for exclusive use.
	Share string `json:"share,omitempty"`
	// LookOnly forbids creating any file, even a temporary one; engines are then not probed.
	LookOnly bool `json:"look_only,omitempty"`
	// Bandwidth requests the bandwidth probe.
	Bandwidth bool `json:"bandwidth"`
	// Engines are those known to work on a similar target on the same machine, best first; they are not
	// tried again. If empty, they are tried.
	Engines []string `json:"engines,omitempty"`
	// Tools are the known versions of the tools that such a worker uses there, so that it need not
	// determine them again.
	Tools map[string]string `json:"tools,omitempty"`
	// App specifies how to set up an application; nil if storage is loaded directly.
	App *AppRequest `json:"app,omitempty"`
	// Log is the directory of the application's log; nil if the log is with its data.
	Log *Target `json:"log,omitempty"`
}

// ProbeResult answers a ProbeRequest.
type ProbeResult struct {
	Environment Environment `json:"environment"`
	// Engines lists fio's I/O engines that work on this target, best first. Untried is set if none of
	// them was tried, because nothing may be created yet: any of them may work.
	Engines []string `json:"engines"`
	Untried bool     `json:"untried,omitempty"`
	// Direct is whether the I/O will bypass the page cache.
	Direct bool `json:"direct"`
	// Capacity is the maximum number of bytes that a measurement may use: the size of the device, image
	// or existing file, or the space that the filesystem can spare.
	Capacity int64 `json:"capacity"`
	// Room is the space that the filesystem can spare, if Capacity has a tighter limit: the size of a
	// claim that was created for one volume. 0 if it has not.
	Room int64 `json:"room,omitempty"`
	// MakesFile is set if the target is a directory, or a file that does not exist yet: the measurement
	// then creates its own file and removes it afterwards.
	MakesFile bool `json:"makes_file"`
	// ReadBandwidth and WriteBandwidth are in bytes/s; 0 if not probed.
	ReadBandwidth  float64 `json:"read_bandwidth"`
	WriteBandwidth float64 `json:"write_bandwidth"`
	// Tools are versions, by name: "fio": "3.33".
	Tools map[string]string `json:"tools"`
	// App is the expected state of the application; nil if there is none.
	App *AppState `json:"app,omitempty"`
	// Log is the volume of the application's log, with its maximum size; nil if the log has no volume
	// of its own.
	Log *Volume `json:"log,omitempty"`
	// Boot is the boot ID of the running kernel, the same in all containers on it; empty if there is
	// none.
	Boot string `json:"boot,omitempty"`
	// Cgroup is the ID of the worker's cgroup as used by the kernel's block layer; 0 if it has none.
	Cgroup uint64 `json:"cgroup,omitempty"`
}

// PrepareRequest asks to make the volume ready: create, prefill, prove.
type PrepareRequest struct {
	Volume Volume `json:"volume"`
	// Destroy is the target that the user allowed to be overwritten, as typed.
	Destroy string `json:"destroy,omitempty"`
	// MaxSeconds is the time after which the prefill is ended, and the volume is reduced to what was
	// written; 0 is no limit.
	MaxSeconds float64 `json:"max_seconds"`
	// Least is the size in bytes below which a reduced volume is useless; 0 means any size will do.
	Least int64 `json:"least,omitempty"`
	// App specifies how to set up an application; nil for a file or device.
	App *AppRequest `json:"app,omitempty"`
}

// StartRequest asks to run one step at a common clock time.
type StartRequest struct {
	Step     Step     `json:"step"`
	Workload Workload `json:"workload"`
	Volume   Volume   `json:"volume"`
	// At is the start time, in Unix nanoseconds on the worker's clock; 0 means now. Times of samples
	// and of the result count from it, even if the worker begins later.
	At int64 `json:"at,omitempty"`
}

// StopRequest ends a running request.
type StopRequest struct {
	ID int `json:"id"`
}

// Event is a JSON line from a worker to the engine. Seq counts from 1 without gaps, so that after a
// reconnect the engine can ask for events from the last number on.
type Event struct {
	Seq int64 `json:"seq"`
	// ID is the ID of the request, 0 for hello.
	ID       int       `json:"id,omitempty"`
	Hello    *Hello    `json:"hello,omitempty"`
	Progress *Progress `json:"progress,omitempty"`
	Sample   *Sample   `json:"sample,omitempty"`
	// Raw is a piece of the tool's own output for raw/.
	Raw      *Raw         `json:"raw,omitempty"`
	Probed   *ProbeResult `json:"probed,omitempty"`
	Prepared *Preparation `json:"prepared,omitempty"`
	Result   *StepResult  `json:"result,omitempty"`
	// Beside answers an idle or a ceiling request; it is empty if there is nothing to record.
	Beside *Beside `json:"beside,omitempty"`
	// Clock answers a clock request with the worker's time in Unix nanoseconds.
	Clock int64 `json:"clock,omitempty"`
	// Done closes a request that has no other answer.
	Done *struct{} `json:"done,omitempty"`
	// Error closes a request that failed.
	Error *WorkerError `json:"error,omitempty"`
	Bye   *struct{}    `json:"bye,omitempty"`
	// Discarded, in the answer to Bye, is the number of bytes that were discarded.
	Discarded int64 `json:"discarded,omitempty"`
	// Client is a request to the client's worker, in an event whose Seq is 0: the engine does not
	// process it.
	Client *Request `json:"client,omitempty"`
	// Loaded answers Request.Load, as defined by package remote.
	Loaded json.RawMessage `json:"loaded,omitempty"`
}

// Hello is a worker's first event.
type Hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	// Clock is the worker's time in Unix nanoseconds.
	Clock    int64  `json:"clock"`
	Hostname string `json:"hostname"`
	PID      int    `json:"pid"`
}

// Phase is the phase that a progress report refers to.
type Phase string

// The phases, in the order of a run: probing the volume, writing it, reading it back, waiting until the storage has
// finished earlier writes. A worker may also report the ramp and measuring of a step. Each second of them is a
// sample, so ours reports only PhaseMeasure, and only with the rate of an application's flushes.
const (
	PhaseProbe   Phase = "probe"
	PhasePrefill Phase = "prefill"
	PhaseProve   Phase = "verify"
	PhaseSettle  Phase = "settle"
	PhaseRamp    Phase = "ramp"
	PhaseMeasure Phase = "measure"
	// Phases of the driver itself around the repeats: running the load generator without storage,
	// removing what was created, computing the results, and PhaseEnd when everything is done.
	PhaseCeiling  Phase = "load generator alone"
	PhaseCleanUp  Phase = "clean-up"
	PhaseAnalysis Phase = "analysis"
	PhaseEnd      Phase = "end"
)

// OfStep reports whether the phase is part of a step, not of the preparation.
func (p Phase) OfStep() bool { return p == PhaseRamp || p == PhaseMeasure }

// InBytes reports whether progress in the phase is counted in bytes rather than seconds.
func (p Phase) InBytes() bool { return p == PhasePrefill || p == PhaseProve }

// Progress is the progress of a long request.
type Progress struct {
	Phase Phase `json:"phase"`
	// Done and Total are in bytes or in seconds (see Phase.InBytes).
	Done  float64 `json:"done"`
	Total float64 `json:"total"`
	// Rate is the current rate in bytes/s, if progress is counted in bytes.
	Rate float64 `json:"rate,omitempty"`
	// Limit is in how many seconds a time limit ends the phase with what is done by then; 0 if there is none.
	Limit float64 `json:"limit,omitempty"`
	// Seconds is how long a probe or a prefill took, in its last report; 0 before that.
	Seconds float64 `json:"seconds,omitempty"`
	// Flushes is how often per second an application has lately flushed its log, in PhaseMeasure; 0 if unknown or hardly ever.
	Flushes float64 `json:"flushes,omitempty"`
}

// Rest estimates in how many seconds a phase ends that is counted in bytes, at a rate in bytes/s, and whether its time
// limit ends it before Total is reached.
func (p Progress) Rest(rate float64) (seconds float64, cut bool) {
	seconds = max(0, p.Total-p.Done) / rate
	if p.Limit > 0 && p.Limit < seconds {
		return p.Limit, true
	}
	return seconds, false
}

// Raw is one file for the run's raw/ directory.
type Raw struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// ErrorClass determines the exit code and what happens next.
type ErrorClass string

// The classes of a worker's error: Refused is invalid input found before any I/O; Broken is a fault of
// the tool or of the storage.
const (
	Refused ErrorClass = "refused"
	Broken  ErrorClass = "broken"
)

// WorkerError is a failure described for people.
type WorkerError struct {
	Class ErrorClass `json:"class"`
	// Message is a sentence, Hint what to type next (may be empty).
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Error returns the message.
func (e *WorkerError) Error() string { return e.Message }

// RefusedError returns a WorkerError of class Refused.
func RefusedError(message, hint string) *WorkerError {
	return &WorkerError{Class: Refused, Message: message, Hint: hint}
}

// BrokenError returns a WorkerError of class Broken.
func BrokenError(message, hint string) *WorkerError {
	return &WorkerError{Class: Broken, Message: message, Hint: hint}
}
