package stats

// Needs is for how long something has to be measured to probably decide a question. The zero value is not known.
type Needs struct {
	// Seconds is the measuring time, if it is Known.
	Seconds float64
	Known   bool
	// Never is set if no time would suffice.
	Never bool
}
