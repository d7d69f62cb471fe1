package model

// SustainedState says whether the rate of a result is sustained, as far as is known.
type SustainedState string

// The possible findings of a long uninterrupted repeat ("look") about a result.
const (
	// Held: the rate in the look stayed the same as in the short repeats.
	Held SustainedState = "held"
	// Fell: this workload's own rate dropped, and the result is the rate after the drop.
	Fell SustainedState = "fell"
	// FellUnsteady is Fell to a rate that is not level, or that was seen for a short time only.
	FellUnsteady SustainedState = "fell-unsteady"
	// Below: another workload's rate dropped, or may have, to a rate that this one does not reach.
	Below SustainedState = "below"
	// Doubtful: another workload's rate dropped, or may have, and this one, which is faster than the rate after
	// that, had no look of its own; or its own looks were slower, and do not show to which level it fell, if it did.
	Doubtful SustainedState = "doubtful"
)

// Sustained is what a look (a long uninterrupted repeat) says about a result. The rates are those of
// the result's direction.
type Sustained struct {
	State SustainedState `json:"lasting"`
	// Looked is the workload of the look: this one, or the one with the most I/Os in its direction.
	// Step is the number of the look.
	Looked string `json:"long_workload"`
	Step   int    `json:"step"`
	// Seconds is the measured duration of the look, IOs and Bytes what was done in it.
	Seconds float64 `json:"seconds"`
	IOs     float64 `json:"ios"`
	Bytes   float64 `json:"bytes"`
	// From is where the level part at the end of the look begins, in seconds since the run began; Rate
	// (1/s) and Bandwidth (bytes/s) refer to that part.
	From      float64 `json:"from"`
	Rate      float64 `json:"rate"`
	Bandwidth float64 `json:"bandwidth"`
	// BytesUnseen is set if this result transfers more bytes per second than any look, so that nothing
	// is known about a burst credit that counts bytes.
	BytesUnseen bool `json:"bytes_unseen,omitempty"`
	// Before names the workload whose rate fell after this look, or before a pause that this one followed, if only that casts
	// doubt on it: both may draw on one burst credit.
	Before string `json:"before,omitempty"`
	// AtEnd is set if the look is in doubt only because its last seconds were slower.
	AtEnd bool `json:"at_end,omitempty"`
	// SlowSeconds is the length of a slow period in a long repeat of a workload whose rate held otherwise, and
	// SlowRate the rate during it, in 1/s; 0 if there was none. Its seconds are not part of the result.
	SlowSeconds float64 `json:"slow_seconds,omitempty"`
	SlowRate    float64 `json:"slow_rate,omitempty"`
	// Burst is the rate before the drop.
	Burst *Burst `json:"burst,omitempty"`
}

// Burst is a rate that is not sustained.
type Burst struct {
	// Rate is in 1/s, Bandwidth in bytes/s; Seconds is how long it lasted in the look.
	Rate      float64 `json:"rate"`
	Bandwidth float64 `json:"bandwidth"`
	Seconds   float64 `json:"seconds"`
	// IOs and Bytes are what was done in excess of the sustained rate: the burst credit, or part of it
	// if it was not full when the look began.
	IOs   float64 `json:"ios"`
	Bytes float64 `json:"bytes"`
	// Refill is how long it takes at the sustained rate to do the same amount again, in seconds.
	Refill float64 `json:"refill"`
}

// Fallen reports whether the result is the rate after a drop in a look; false for nil.
func (s *Sustained) Fallen() bool {
	return s != nil && (s.State == Fell || s.State == FellUnsteady)
}
