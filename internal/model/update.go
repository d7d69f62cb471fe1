package model

// Judgement is what is known about a workload's headline during the run.
type Judgement struct {
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	Metric    Metric    `json:"metric"`
	Estimate
	Repeats int `json:"repeats"`
	// Converged is set if the precision is reached and the rule lets the run stop.
	Converged bool `json:"converged"`
	// Steady is set if even the remaining certain repeats would add nothing: the storage is clearly
	// steady, and the user did not ask for a number of repeats.
	Steady bool `json:"steady,omitempty"`
	// Precise is set if the interval is as narrow as requested.
	Precise bool `json:"precise,omitempty"`
	// ObserveFor is set if the storage, which varies, has to be observed for longer, however narrow the interval is:
	// for this long at least, of which Observed has passed (s).
	Observed   float64 `json:"observed_s,omitempty"`
	ObserveFor float64 `json:"observe_for_s,omitempty"`
}

// Update is one notification from a running experiment to its observers. Only the fields that changed
// are set; Elapsed and Left always are (seconds; Left is an estimate, negative when unknown).
type Update struct {
	Elapsed float64
	Left    float64
	// Unplanned is set while there is no plan yet, so that Left is meaningless.
	Unplanned bool
	// Progress is set during probe, prefill, verify and settle, when a phase of the driver begins, and during
	// a step when an application's rate of flushes has changed.
	Progress *Progress
	// Step and Workload are set when a step starts, with Steps, the planned number of steps: a minimum
	// if steps are repeated until they are precise enough.
	Step     *Step
	Workload *Workload
	Steps    int
	// Workloads is the number of workloads that are measured until they are precise enough, 0 if the
	// plan determines the end, and Converged how many of them need no more repeats.
	Workloads, Converged int
	Sample               *Sample
	// Result and Judgement are set when a step has ended. Judgement is nil when
	// nothing can be said yet.
	Result    *StepResult
	Judgement *Judgement
	// Side is the side of a comparison that the update refers to, "" outside of one. Contrast is set
	// when a block has ended.
	Side     Side
	Contrast *Contrast
	// Message is a sentence for the user (for example, a step that failed).
	Message string
}
