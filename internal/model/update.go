package model

// Judgement is what is known of a workload's headline while the run is on.
type Judgement struct {
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	Metric    Metric    `json:"metric"`
	Estimate
	Repeats int `json:"repeats"`
	// Converged tells that the precision is reached and the rule lets the run stop.
	Converged bool `json:"converged"`
	// Steady tells that not even the certain repeats that are left would tell more: the
	// storage is plainly steady, and nobody asked for a number of repeats.
	Steady bool `json:"steady,omitempty"`
}

// Update is one thing that a running experiment tells whoever watches. Only the
// fields that changed are set; Elapsed and Left always are (seconds; Left is an
// estimate, negative when unknown).
type Update struct {
	Elapsed float64
	Left    float64
	// Unplanned tells that there is no plan yet, so Left says nothing.
	Unplanned bool
	// Progress is set during probe, prefill and prove.
	Progress *Progress
	// Step and Workload are set when a step starts, with Steps, the number of steps that
	// are planned: where they are repeated until they are precise enough, that is the least.
	Step     *Step
	Workload *Workload
	Steps    int
	// Workloads is how many workloads are measured until they are precise enough, 0 where
	// the plan says when to end, and Converged how many of them need no more.
	Workloads, Converged int
	Sample               *Sample
	// Result and Judgement are set when a step has ended. Judgement is nil when
	// nothing can be said yet.
	Result    *StepResult
	Judgement *Judgement
	// Side is the side of a comparison that the update is about, "" outside of one.
	// Contrast is set when a block has ended.
	Side     Side
	Contrast *Contrast
	// Message is a sentence that people should see (a step that failed …).
	Message string
}
