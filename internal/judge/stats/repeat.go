package stats

// Repeat is one repeat of a workload: its value (a rate, a mean latency …), the
// same second by second (may be empty), and when it began and ended, in seconds
// on one clock.
type Repeat struct {
	Value      float64
	Seconds    []float64
	Begin, End float64
}

// Floor is the smallest relative half-width that is ever published for a rate
// or a mean. It is the instrument's: fio's status clock ticks in milliseconds,
// a count knows each edge of a repeat to about one I/O, and a throttle's own
// edge is good to 0.1–0.3 %. More digits would be a claim about the clock, not
// about the storage.
const Floor = 0.0025

// caution is the factor that a stopping rule widens an interval by, whose spread has
// so many degrees of freedom less one. A rule that looks at the data stops when the
// spread happens to look small, which is easy with two degrees and hard with ten.
// Asking for more while they are few takes that advantage away, so that the interval
// need not be wider in the end than its t quantile says; fitted by simulation
// (test/perf, Intervals).
func caution(k int) float64 { return 1 + 1.5/float64(max(1, k-1)) }
