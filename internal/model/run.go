package model

import "time"

// Status is how far a run came.
type Status string

// The states of a run. Running in a directory that nobody writes to any more
// means that the process was killed.
const (
	Running     Status = "running"
	Complete    Status = "complete"
	Interrupted Status = "interrupted"
	Failed      Status = "failed"
)

// Run is one execution of a plan: what run.json holds, beside plan.json,
// environment.json and the samples.
type Run struct {
	Schema   string    `json:"schema"`
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished,omitzero"`
	Status   Status    `json:"status"`
	// Reason is a sentence when the status is interrupted or failed.
	Reason  string   `json:"reason,omitempty"`
	Command []string `json:"command,omitempty"`
	// Clock is when the seconds of steps and samples began to count; zero where nobody noted it.
	Clock time.Time `json:"clock,omitzero"`
	// Again is the same command in the form that advice repeats with some flags changed.
	Again CommandLine `json:"again,omitempty"`
	// Labels are what the user calls the run.
	Labels  Labels            `json:"labels,omitempty"`
	Tools   map[string]string `json:"tools"`
	Prepare *Preparation      `json:"prepare,omitempty"`
	Steps   []StepResult      `json:"steps"`
	// Comparison is the ID that the two runs of an interleaved comparison share, and
	// Side which of the two this one is.
	Comparison string `json:"comparison,omitempty"`
	Side       Side   `json:"side,omitempty"`
	// Beside is what was measured beside the load, for the rules of trust.
	Beside Beside `json:"beside,omitzero"`
}

// RunSchema is the schema name of run.json.
const RunSchema = "loadline.run/v1"

// StepResult is how one repeat went at one worker. A step with an Error yields
// no number that looks whole.
type StepResult struct {
	Step   Step `json:"step"`
	Worker int  `json:"worker"`
	// Started and Ended are seconds since the run began. Started is when the workers
	// were to begin, and Delay by how many seconds later this one did.
	Started float64 `json:"started"`
	Delay   float64 `json:"delay,omitempty"`
	Ended   float64 `json:"ended"`
	// Error is a sentence; empty when the step went well.
	Error string `json:"error,omitempty"`
	// EndedEarly tells that the step was stopped on purpose (the user, or the rule
	// for a steady state): its seconds count, it is just shorter than planned.
	EndedEarly bool `json:"ended_early,omitempty"`
	// Lost is a sentence when the worker was gone in the middle of the step, which then
	// ended, for it, with the last sign of life. Error is set as well when it had measured
	// nothing of the step.
	Lost string `json:"lost,omitempty"`
	// Held tells that the worker held the file or device open and found after the step that
	// its name still meant the same; Replaced is the sentence when it did not.
	Held     bool   `json:"held,omitempty"`
	Replaced string `json:"replaced,omitempty"`
	// IOErrors counts I/Os that failed, ShortIOs those that moved fewer bytes.
	IOErrors uint64 `json:"io_errors,omitempty"`
	ShortIOs uint64 `json:"short_ios,omitempty"`
	// DepthLevels is the share (0..1) of I/Os submitted at each queue depth, by
	// fio's bucket names ("1", "2", "4", … ">=64").
	DepthLevels map[string]float64 `json:"depth_levels,omitempty"`
	// Due counts the I/Os that were due in the measured part of an open loop, and Late
	// is the mean time in seconds by which the load generator itself began them too late.
	Due  uint64  `json:"due,omitempty"`
	Late float64 `json:"late,omitempty"`
	// UserCPU and SystemCPU are those of the load generator, in fractions of one core.
	UserCPU   float64 `json:"user_cpu,omitempty"`
	SystemCPU float64 `json:"system_cpu,omitempty"`
	// Submission is the mean time in seconds, by direction, that handing an I/O to the kernel
	// took: a part of its latency. Absent where the load generator does not tell.
	Submission map[Direction]float64 `json:"submission,omitempty"`
	// Settling tells what was written before a repeat that only reads, and whether the
	// storage was done with it; nil where nothing was.
	Settling *Settling `json:"settling,omitempty"`
	// Stalls are the stretches in which nothing was answered: the longest, in the order
	// of time.
	Stalls []Stall `json:"stalls,omitempty"`
	// Counters are what the machine counted from begin to end of the step.
	Counters *Counters `json:"counters,omitempty"`
	// Raw is the name of the tool's raw output under raw/.
	Raw string `json:"raw,omitempty"`
	// App is what an application counted; nil where storage was loaded by itself.
	App *AppCounts `json:"app,omitempty"`
}

// StoppedStep is the Error of a driver whose step was cancelled and had no other
// fault. The engine turns it into EndedEarly.
const StoppedStep = "interrupted"
