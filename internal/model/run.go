package model

import "time"

// Status is how far a run got.
type Status string

// The states of a run. Running in a directory to which nothing is written any more means that the
// process was killed.
const (
	Running     Status = "running"
	Complete    Status = "complete"
	Interrupted Status = "interrupted"
	Failed      Status = "failed"
)

// Run is one execution of a plan: the contents of run.json, stored beside plan.json, environment.json
// and the samples.
type Run struct {
	Schema   string    `json:"schema"`
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished,omitzero"`
	Status   Status    `json:"status"`
	// Reason is a sentence, set if the status is interrupted or failed.
	Reason  string   `json:"reason,omitempty"`
	Command []string `json:"command,omitempty"`
	// Clock is the time from which the seconds of steps and samples count; zero if it was not recorded.
	Clock time.Time `json:"clock,omitzero"`
	// Again is the same command in the form that advice repeats with some flags changed.
	Again CommandLine `json:"again,omitempty"`
	// Labels are the user's labels for the run.
	Labels  Labels            `json:"labels,omitempty"`
	Tools   map[string]string `json:"tools"`
	Prepare *Preparation      `json:"prepare,omitempty"`
	Steps   []StepResult      `json:"steps"`
	// Comparison is the ID that the two runs of an interleaved comparison share, and Side which side
	// this run is.
	Comparison string `json:"comparison,omitempty"`
	Side       Side   `json:"side,omitempty"`
	// Beside is what was measured in addition to the load, for the rules of trust.
	Beside Beside `json:"beside,omitzero"`
}

// RunSchema is the schema name of run.json.
const RunSchema = "loadline.run/v1"

// StepResult is the result of one repeat on one worker. A step with an Error yields no number that
// looks complete.
type StepResult struct {
	Step   Step `json:"step"`
	Worker int  `json:"worker"`
	// Started and Ended are seconds since the run began. Started is when the workers were due to begin,
	// and Delay by how many seconds this one began later.
	Started float64 `json:"started"`
	Delay   float64 `json:"delay,omitempty"`
	Ended   float64 `json:"ended"`
	// Error is a sentence; empty if the step went well.
	Error string `json:"error,omitempty"`
	// EndedEarly is set if the step was stopped on purpose (by the user, or by the rule for a steady
	// state): its seconds count; it is merely shorter than planned.
	EndedEarly bool `json:"ended_early,omitempty"`
	// Lost is a sentence, set if the worker disappeared during the step, which for this worker then
	// ended at the last sign of life. Error is set as well if it had measured nothing of the step.
	Lost string `json:"lost,omitempty"`
	// Held is set if the worker held the file or device open and found after the step that the name
	// still referred to it; Replaced is a sentence, set if it did not.
	Held     bool   `json:"held,omitempty"`
	Replaced string `json:"replaced,omitempty"`
	// IOErrors counts failed I/Os, ShortIOs those that transferred fewer bytes.
	IOErrors uint64 `json:"io_errors,omitempty"`
	ShortIOs uint64 `json:"short_ios,omitempty"`
	// DepthLevels is the fraction (0..1) of I/Os submitted at each queue depth, by fio's bucket names
	// ("1", "2", "4", … ">=64").
	DepthLevels map[string]float64 `json:"depth_levels,omitempty"`
	// Due counts the I/Os that were due in the measured part of an open loop, and Late is the mean time
	// in seconds by which the load generator itself began them too late.
	Due  uint64  `json:"due,omitempty"`
	Late float64 `json:"late,omitempty"`
	// UserCPU and SystemCPU are the CPU use of the load generator, as fractions of one core.
	UserCPU   float64 `json:"user_cpu,omitempty"`
	SystemCPU float64 `json:"system_cpu,omitempty"`
	// CPUWait is how many of the load generator's threads were ready to run but waited for a CPU, on
	// average over the repeat; nil if the kernel does not say.
	CPUWait *float64 `json:"cpu_wait,omitempty"`
	// Submission is the mean time in seconds, by direction, to submit an I/O to the kernel: a part of
	// its latency. Absent if the load generator does not report it.
	Submission map[Direction]float64 `json:"submission,omitempty"`
	// Unfilled is set if the step was made again with a longer ramp, because its queue had not turned over when it was measured
	// (timeline.Turnover).
	Unfilled bool `json:"unfilled,omitempty"`
	// Settling says what was written before a repeat that reads, and whether the storage had finished
	// with it; nil if nothing was written.
	Settling *Settling `json:"settling,omitempty"`
	// Stalls are the intervals in which no I/O completed: the longest ones, in chronological order.
	Stalls []Stall `json:"stalls,omitempty"`
	// Counters holds the machine's counters from the beginning to the end of the step.
	Counters *Counters `json:"counters,omitempty"`
	// Samples is how many samples were recorded of the step; nil in runs of before this was recorded.
	Samples *int `json:"samples,omitempty"`
	// Raw is the name of the tool's raw output under raw/.
	Raw string `json:"raw,omitempty"`
	// App holds the counters of an application; nil if storage was loaded directly.
	App *AppCounts `json:"app,omitempty"`
}

// StoppedStep is the Error that a driver sets on a step that was cancelled and had no other fault. The
// engine turns it into EndedEarly.
const StoppedStep = "interrupted"
