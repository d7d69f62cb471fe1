package model

// OnBaseline is the scenario of "run --baseline": the baseline is the storage on which the target is
// built, and the rules of trust check the target against it. Two targets that are compared need not be
// layered on each other.
const OnBaseline = "baseline"

// Experiment is what the user asked for. It is saved as experiment.yaml, which is enough to repeat it.
type Experiment struct {
	Scenario string `json:"scenario"`
	Target   string `json:"target"`
	// Profile is the name of the profile, or the path of the user's own profile.
	Profile string `json:"profile"`
	// Job is the path of the user's own fio job file, used instead of a profile.
	Job string `json:"job,omitempty"`
	// ProfileText and JobText are the contents of these files, so that the experiment is
	// self-contained: a repetition uses these, not the current contents of the files.
	ProfileText string `json:"profile_text,omitempty"`
	JobText     string `json:"job_text,omitempty"`
	// Only and Skip select among the profile's workloads by name.
	Only []string `json:"only,omitempty"`
	Skip []string `json:"skip,omitempty"`
	// Size in bytes; 0 means automatic.
	Size int64 `json:"size,omitempty"`
	// Precision is the requested relative half-width, for example 0.05.
	Precision float64 `json:"precision"`
	// MaxTime limits the measuring, MaxPrefill the writing of data before it, in seconds.
	MaxTime    float64 `json:"max_time"`
	MaxPrefill float64 `json:"max_prefill"`
	// Time, in seconds, asks for one repeat of fixed length per workload (ramp RampTime).
	Time     float64 `json:"time,omitempty"`
	RampTime float64 `json:"ramp_time,omitempty"`
	// UntilSteady asks for the sequential rule on one long repeat per workload.
	UntilSteady bool `json:"until_steady,omitempty"`
	// DestroyDataOn names the device or file whose content may be overwritten.
	DestroyDataOn string `json:"destroy_data_on,omitempty"`
	// Seed determines the order of the repeats; 0 draws one (and the plan records it).
	Seed uint64 `json:"seed,omitempty"`
	Note string `json:"note,omitempty"`
	// Labels are the user's labels for the run.
	Labels Labels `json:"labels,omitempty"`
	// Baseline is the target that this one is compared with, block by block.
	Baseline string `json:"baseline,omitempty"`
	// Repeat is the minimum number of repeats per workload; 0 means the scenario's default.
	Repeat int `json:"repeat,omitempty"`
	// Margin and MarginP99 are the relative changes that a comparison counts as no change; 0 means the
	// defaults.
	Margin    float64 `json:"margin,omitempty"`
	MarginP99 float64 `json:"margin_p99,omitempty"`
	// FailOn lists the verdicts on a row of a comparison that make it fail; empty means the default.
	FailOn []string `json:"fail_on,omitempty"`
	// Goals are the goals for the results, as written.
	Goals []string `json:"goals,omitempty"`
	// Cap is the limit of the storage as stated, Replicas the number of copies it keeps (0 is unknown).
	Cap      Cap `json:"cap,omitzero"`
	Replicas int `json:"replicas,omitempty"`
	// CheckCache asks for the working-set sweep after the rounds.
	CheckCache bool `json:"check_cache,omitempty"`
	// Sweep says what a sweep varies, Scale on how many volumes at once a workload runs; nil in other
	// scenarios.
	Sweep *SweepRequest `json:"sweep,omitempty"`
	Scale *ScaleRequest `json:"scale,omitempty"`
	// App specifies how to set up an application; nil if storage is loaded directly.
	App *AppRequest `json:"app,omitempty"`
	// Place says where workers run and under which identity.
	Place Placement `json:"place,omitzero"`
}
