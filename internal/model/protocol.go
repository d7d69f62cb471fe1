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
	// Clock asks what time it is there.
	Clock *struct{} `json:"clock,omitempty"`
	// Idle and Ceiling gather evidence beside the load.
	Idle    *IdleRequest    `json:"idle,omitempty"`
	Ceiling *CeilingRequest `json:"ceiling,omitempty"`
	// Stop ends the request with this ID early; what was measured is kept.
	Stop *StopRequest `json:"stop,omitempty"`
	// Cleanup removes what the worker made on the volume.
	Cleanup *struct{} `json:"cleanup,omitempty"`
	// Bye ends the session after a cleanup.
	Bye *struct{} `json:"bye,omitempty"`
	// Discard, beside Bye, gives the space back that was filled on a block device.
	Discard bool `json:"discard,omitempty"`
	// Load asks the worker of a client for something; it holds what package remote says.
	Load json.RawMessage `json:"load,omitempty"`
	// Client hands the worker of a server an event of its client's worker.
	Client *Event `json:"client,omitempty"`
}

// ProbeRequest asks what the target is and how it can be measured.
type ProbeRequest struct {
	Target Target `json:"target"`
	// MayWrite allows the two-second bandwidth probe and the direct-I/O probe to
	// write (to a file of our own, or to a target whose data may be destroyed).
	MayWrite bool `json:"may_write"`
	// Destroy is the target that the user allowed to be overwritten, as typed.
	Destroy string `json:"destroy,omitempty"`
	// Share names what workers have in common that use one existing file or device
	// together; others do not get it. Empty for a worker that is alone with it.
	Share string `json:"share,omitempty"`
	// LookOnly forbids any file of our own, even a short-lived one; engines are then
	// not probed.
	LookOnly bool `json:"look_only,omitempty"`
	// Bandwidth asks for the bandwidth probe.
	Bandwidth bool `json:"bandwidth"`
	// Engines are those that work on a target like this one on the same machine, best
	// first; they are not tried again. Empty to try them.
	Engines []string `json:"engines,omitempty"`
	// Tools are the versions there of what such a worker uses; it is not asked again.
	Tools map[string]string `json:"tools,omitempty"`
	// App is how an application is to be set up; nil for a storage by itself.
	App *AppRequest `json:"app,omitempty"`
	// Log is the directory of the application's log; nil where that is with its data.
	Log *Target `json:"log,omitempty"`
}

// ProbeResult answers a ProbeRequest.
type ProbeResult struct {
	Environment Environment `json:"environment"`
	// Engines lists fio's I/O engines that work on this target, best first. Untried tells that
	// nobody has tried them, because nothing may be made yet: any may work.
	Engines []string `json:"engines"`
	Untried bool     `json:"untried,omitempty"`
	// Direct reports whether the I/O will bypass the page cache.
	Direct bool `json:"direct"`
	// Capacity is how many bytes a measurement may use at most: the device's or
	// image's size, an existing file's size, or what the filesystem can spare.
	Capacity int64 `json:"capacity"`
	// Room is what the filesystem can spare where Capacity is bound by more than that: by
	// the size of a claim that was made for one volume. 0 where it is not.
	Room int64 `json:"room,omitempty"`
	// MakesFile tells that the target is a directory, or a file that does not
	// exist yet: the measurement works on a file of its own and removes it.
	MakesFile bool `json:"makes_file"`
	// ReadBandwidth and WriteBandwidth are in bytes/s; 0 when not probed.
	ReadBandwidth  float64 `json:"read_bandwidth"`
	WriteBandwidth float64 `json:"write_bandwidth"`
	// Tools are versions, by name: "fio": "3.33".
	Tools map[string]string `json:"tools"`
	// App is what the application would be; nil where there is none.
	App *AppState `json:"app,omitempty"`
	// Log is the volume of the application's log, of the size that it may be at most; nil where
	// it has none of its own.
	Log *Volume `json:"log,omitempty"`
	// Boot names the running kernel, the same in all containers on it; empty where it has
	// no name.
	Boot string `json:"boot,omitempty"`
	// Cgroup is the number of the worker's cgroup, as the block layer of its kernel knows it; 0
	// where it has none.
	Cgroup uint64 `json:"cgroup,omitempty"`
}

// PrepareRequest asks to make the volume ready: create, prefill, prove.
type PrepareRequest struct {
	Volume Volume `json:"volume"`
	// Destroy is the target that the user allowed to be overwritten, as typed.
	Destroy string `json:"destroy,omitempty"`
	// MaxSeconds bounds the prefill; beyond three times this it is ended, and the volume is
	// as large as what was written.
	MaxSeconds float64 `json:"max_seconds"`
	// Least is the size in bytes below which that is of no use; 0 is any.
	Least int64 `json:"least,omitempty"`
	// App is how an application is to be set up; nil for a file or device.
	App *AppRequest `json:"app,omitempty"`
}

// StartRequest asks to run one step at a common clock time.
type StartRequest struct {
	Step     Step     `json:"step"`
	Workload Workload `json:"workload"`
	Volume   Volume   `json:"volume"`
	// At is when to start, in Unix nanoseconds of the worker's clock; 0 is now. Times of
	// samples and of the result count from it, also when the worker begins later.
	At int64 `json:"at,omitempty"`
}

// StopRequest ends a running request.
type StopRequest struct {
	ID int `json:"id"`
}

// Event is a JSON line from a worker to the engine. Seq counts from 1 without a
// gap, so a reconnect can ask from the last number.
type Event struct {
	Seq int64 `json:"seq"`
	// ID is the request's, 0 for hello.
	ID       int       `json:"id,omitempty"`
	Hello    *Hello    `json:"hello,omitempty"`
	Progress *Progress `json:"progress,omitempty"`
	Sample   *Sample   `json:"sample,omitempty"`
	// Raw is a piece of the tool's own output for raw/.
	Raw      *Raw         `json:"raw,omitempty"`
	Probed   *ProbeResult `json:"probed,omitempty"`
	Prepared *Preparation `json:"prepared,omitempty"`
	Result   *StepResult  `json:"result,omitempty"`
	// Beside answers an idle or a ceiling request; it is empty where there is
	// nothing to count.
	Beside *Beside `json:"beside,omitempty"`
	// Clock answers a clock request with the worker's time in Unix nanoseconds.
	Clock int64 `json:"clock,omitempty"`
	// Done closes a request that has no other answer.
	Done *struct{} `json:"done,omitempty"`
	// Error closes a request that failed.
	Error *WorkerError `json:"error,omitempty"`
	Bye   *struct{}    `json:"bye,omitempty"`
	// Discarded, beside Bye, is the number of bytes that were given back.
	Discarded int64 `json:"discarded,omitempty"`
	// Client is a request for the worker of the client, of an event whose Seq is 0: the engine
	// does not see it.
	Client *Request `json:"client,omitempty"`
	// Loaded answers Request.Load, as package remote has it.
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

// Phase is what goes on when progress is told.
type Phase string

// The phases, in the order in which a run has them: looking at the volume, writing it,
// reading it back, waiting until its latency has settled. A worker may also tell of a
// step's ramp and measuring; ours does not, as each second of them is a sample.
const (
	PhaseProbe   Phase = "probe"
	PhasePrefill Phase = "prefill"
	PhaseProve   Phase = "prove"
	PhaseSettle  Phase = "settle"
	PhaseRamp    Phase = "ramp"
	PhaseMeasure Phase = "measure"
	// What the driver itself does around the repeats: the load generator on no storage, taking
	// away what was made, computing the results, and PhaseEnd when all is done.
	PhaseCeiling  Phase = "load generator alone"
	PhaseCleanUp  Phase = "clean-up"
	PhaseAnalysis Phase = "analysis"
	PhaseEnd      Phase = "end"
)

// OfStep reports whether the phase is a part of one step, and not of what comes before all.
func (p Phase) OfStep() bool { return p == PhaseRamp || p == PhaseMeasure }

// InBytes reports whether progress in the phase is counted in bytes, and not in seconds.
func (p Phase) InBytes() bool { return p == PhasePrefill || p == PhaseProve }

// Progress tells how far a long request is.
type Progress struct {
	Phase Phase `json:"phase"`
	// Done and Total are in bytes or in seconds (see Phase.InBytes).
	Done  float64 `json:"done"`
	Total float64 `json:"total"`
	// Rate is the current rate in bytes/s, where it is counted in bytes.
	Rate float64 `json:"rate,omitempty"`
}

// Raw is one file for the run's raw/ folder.
type Raw struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// ErrorClass decides the exit code and what happens next.
type ErrorClass string

// The classes of a worker's error: Refused is bad input found before any I/O;
// Broken is a fault of the tool or of the storage.
const (
	Refused ErrorClass = "refused"
	Broken  ErrorClass = "broken"
)

// WorkerError is a failure in words.
type WorkerError struct {
	Class ErrorClass `json:"class"`
	// Message is a sentence, Hint what to type next (may be empty).
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Error returns the message.
func (e *WorkerError) Error() string { return e.Message }

// RefusedError makes a WorkerError of class Refused.
func RefusedError(message, hint string) *WorkerError {
	return &WorkerError{Class: Refused, Message: message, Hint: hint}
}

// BrokenError makes a WorkerError of class Broken.
func BrokenError(message, hint string) *WorkerError {
	return &WorkerError{Class: Broken, Message: message, Hint: hint}
}
