package stats

// Repeat is one repeat of a workload: its value (a rate, a mean latency …), the same for each second
// (may be empty), and when it began and ended, in seconds on one clock.
type Repeat struct {
	Value   float64
	Seconds []float64
	// Beyond are the seconds that followed without being part of the value; they show how often seconds are slow.
	Beyond     []float64
	Begin, End float64
	// Moved is set if its level changed, so that its slow seconds show nothing of those of other workloads.
	Moved bool
}

// Floor is the smallest relative half-width that is ever published for a rate or a mean. It is that of
// the instrument: fio's status clock has a resolution of milliseconds, a count knows each edge of a
// repeat to about one I/O, and a throttle's own edge is accurate to 0.1–0.3 %. More digits would be a
// claim about the clock, not about the storage.
const Floor = 0.0025

// caution is the factor by which a stopping rule widens an interval whose standard deviation has k − 1
// degrees of freedom. A rule that depends on the data stops when the standard deviation happens to look
// small, which is likely with two degrees and unlikely with ten. Requiring more at few degrees offsets
// this, so that the final interval need not be wider than its t quantile says; fitted by simulation
// (test/perf, Intervals).
func caution(k int) float64 { return 1 + 1.5/float64(max(1, k-1)) }
