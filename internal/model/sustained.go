package model

// Lasting is what is known of whether the rate of a result lasts.
type Lasting string

// What a look without a pause can say of a result.
const (
	// Held: the looked-at rate stayed as it was in the short repeats.
	Held Lasting = "held"
	// Fell: this workload's own rate fell, and the result is what it fell to.
	Fell Lasting = "fell"
	// FellUnsteady is Fell to a rate that is not level, or was seen for a short time only.
	FellUnsteady Lasting = "fell-unsteady"
	// Below: another workload's rate fell, to one that this one does not reach.
	Below Lasting = "below"
	// Doubtful: another workload's rate fell, and this one, which is faster than what that
	// fell to, was not looked at.
	Doubtful Lasting = "doubtful"
)

// Sustained is what a look without a pause says of a result. The rates are those of the
// result's direction.
type Sustained struct {
	Lasting Lasting `json:"lasting"`
	// Looked is the workload that was looked at: this one, or the one that does the most
	// I/Os in its direction. Step is the number of the look.
	Looked string `json:"looked"`
	Step   int    `json:"step"`
	// Seconds is how long the look was measured, IOs and Bytes what was done meanwhile.
	Seconds float64 `json:"seconds"`
	IOs     float64 `json:"ios"`
	Bytes   float64 `json:"bytes"`
	// From is where the level end of the look begins, in seconds since the run began; Rate
	// (1/s) and Bandwidth (bytes/s) are those of it.
	From      float64 `json:"from"`
	Rate      float64 `json:"rate"`
	Bandwidth float64 `json:"bandwidth"`
	// BytesUnseen tells that this result moves more bytes per second than anything that was
	// looked at, so that nothing is known of a credit that counts bytes.
	BytesUnseen bool `json:"bytes_unseen,omitempty"`
	// Burst is what the rate was before it fell.
	Burst *Burst `json:"burst,omitempty"`
}

// Burst is a rate that does not last.
type Burst struct {
	// Rate is in 1/s, Bandwidth in bytes/s; Seconds is how long the look saw it.
	Rate      float64 `json:"rate"`
	Bandwidth float64 `json:"bandwidth"`
	Seconds   float64 `json:"seconds"`
	// IOs and Bytes are what was done above the sustained rate: the credit, or a part of it
	// where it was not full when the look began.
	IOs   float64 `json:"ios"`
	Bytes float64 `json:"bytes"`
	// Refill is how long the sustained rate takes to fill that again, in seconds.
	Refill float64 `json:"refill"`
}

// Fallen reports whether the result is what the rate fell to in a look; of nil, it is not.
func (s *Sustained) Fallen() bool {
	return s != nil && (s.Lasting == Fell || s.Lasting == FellUnsteady)
}
