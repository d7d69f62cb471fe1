package model

// OnBaseline is the scenario of "run --baseline": the baseline is the storage
// that the target is built on, which the rules of trust hold it against. Two
// targets that are compared need not be above each other.
const OnBaseline = "baseline"

// Experiment is what the user asked for. It is saved as experiment.yaml and is
// enough to ask for the same again.
type Experiment struct {
	Scenario string `json:"scenario"`
	Target   string `json:"target"`
	// Profile is the name of the profile, or the path of the user's own.
	Profile string `json:"profile"`
	// Job is the path of the user's own fio job file, in the place of a profile.
	Job string `json:"job,omitempty"`
	// ProfileText and JobText are what these files hold, so that the experiment stands
	// alone: it is asked again by what it says, not by what the files have become.
	ProfileText string `json:"profile_text,omitempty"`
	JobText     string `json:"job_text,omitempty"`
	// Only and Skip choose among the profile's workloads by name.
	Only []string `json:"only,omitempty"`
	Skip []string `json:"skip,omitempty"`
	// Size in bytes; 0 means automatic.
	Size int64 `json:"size,omitempty"`
	// Precision is the relative half-width that is asked for, for example 0.05.
	Precision float64 `json:"precision"`
	// MaxTime bounds the measuring and MaxPrefill the writing of data before it, in seconds.
	MaxTime    float64 `json:"max_time"`
	MaxPrefill float64 `json:"max_prefill"`
	// Time, in seconds, asks for one repeat of fixed length per workload (ramp RampTime).
	Time     float64 `json:"time,omitempty"`
	RampTime float64 `json:"ramp_time,omitempty"`
	// UntilSteady asks for the sequential rule on one long repeat per workload.
	UntilSteady bool `json:"until_steady,omitempty"`
	// DestroyDataOn names the device or file whose content may be overwritten.
	DestroyDataOn string `json:"destroy_data_on,omitempty"`
	// Seed fixes the order of the repeats; 0 draws one (and the plan records it).
	Seed uint64 `json:"seed,omitempty"`
	Note string `json:"note,omitempty"`
	// Labels are what the user calls the run.
	Labels Labels `json:"labels,omitempty"`
	// Baseline is the target that this one is compared with, block by block.
	Baseline string `json:"baseline,omitempty"`
	// Repeat is the least number of repeats per workload; 0 means the scenario's own.
	Repeat int `json:"repeat,omitempty"`
	// Margin and MarginP99 are the relative changes that a comparison calls none; 0
	// means the defaults.
	Margin    float64 `json:"margin,omitempty"`
	MarginP99 float64 `json:"margin_p99,omitempty"`
	// FailOn are the verdicts on a row of a comparison that make it fail; empty is the default.
	FailOn []string `json:"fail_on,omitempty"`
	// Goals are what the results are asked to reach, as written.
	Goals []string `json:"goals,omitempty"`
	// Cap is the limit that the storage is said to have, Replicas the number of
	// copies that it keeps (0 is unknown).
	Cap      Cap `json:"cap,omitzero"`
	Replicas int `json:"replicas,omitempty"`
	// CheckCache asks for the working-set sweep after the rounds.
	CheckCache bool `json:"check_cache,omitempty"`
	// Sweep says what a sweep varies, Scale on how many volumes at once a workload is
	// run; nil in other scenarios.
	Sweep *SweepRequest `json:"sweep,omitempty"`
	Scale *ScaleRequest `json:"scale,omitempty"`
	// App is how an application is to be set up; nil where storage is loaded by itself.
	App *AppRequest `json:"app,omitempty"`
	// Place is where workers are put, and as whom they run.
	Place Placement `json:"place,omitzero"`
}
