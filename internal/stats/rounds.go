package stats

import "math"

// Visit is one stay at a workload: its value (a rate, a mean latency …), the
// same second by second (may be empty), and when it began and ended, in seconds
// on one clock.
type Visit struct {
	Value      float64
	Seconds    []float64
	Begin, End float64
}

// Floor is the smallest relative half-width that is ever published for a rate
// or a mean. It is the instrument's: fio's status clock ticks in milliseconds,
// a count knows each edge of a visit to about one I/O, and a throttle's own
// edge is good to 0.1–0.3 %. More digits would be a claim about the clock, not
// about the storage.
const Floor = 0.0025

const (
	// stall is the lost time in seconds that a measurement may have missed: when
	// nothing was slow in T seconds, something that costs stall/T on average can
	// still be there. It is fitted to spikes in one second of twenty.
	stall = 0.4
	// quiet bounds what is suspected of a steady device, in standard deviations
	// of its seconds: one that never moved is not expected to.
	quiet = 5.0
	// alone widens what was seen when there is nothing to tell what was missed.
	alone = 1.15
)

// Rounds is the half-width of the interval around the mean of several visits,
// in the unit of the values, and the half-width that a stopping rule has to
// compare with its target. whole is what 100 % is in that unit: the mean, or 1
// when the values are logarithms.
//
// The half-width is made of what was seen and what may have been missed, √(a²+b²).
// Seen is the larger of
//
//   - between: t·s/√k over the k visits, which contains whatever changes from
//     one visit to the next, corrected for the correlation that a short pause
//     between visits leaves;
//   - within: t·s/√n over all n seconds around the means of their visits, which
//     has more degrees of freedom, so that three visits that agree by luck do
//     not pass for precision.
//
// Missed is 0.4 s of stall in the n seconds, but no more than five standard
// deviations of a second. Where visits have no seconds, as with percentiles,
// seen is widened by 15 % instead. Both results are +Inf below two visits.
func Rounds(visits []Visit, whole float64) (half, rule float64) {
	k := len(visits)
	if k < 2 {
		return math.Inf(1), math.Inf(1)
	}
	values := make([]float64, k)
	n := 0
	for i, v := range visits {
		values[i] = v.Value
		n += len(v.Seconds)
	}
	widen, df := dependence(visits, values)
	seen := StudentT(df) * StdDev(values) / math.Sqrt(float64(k)) * widen
	if n == 0 {
		return math.Min(alone, caution(k)) * seen, caution(k) * seen
	}
	s, df := secondsAround(visits)
	if df > 0 {
		seen = math.Max(seen, StudentT(df)*s/math.Sqrt(float64(n)))
	} else {
		// Visits of one second are the seconds.
		s = StdDev(values)
	}
	missed := math.Min(stall/float64(n)*whole, quiet*s)
	return math.Hypot(seen, missed), math.Hypot(caution(k)*seen, missed)
}

// caution is the factor that the stopping rule widens the interval of k visits
// by. A rule that looks at the data stops when s happens to be small, which is
// easy with three visits and hard with ten. Asking for more while visits are
// few takes that advantage away, so that the interval need not be wider in the
// end than its t quantile says; fitted by simulation (test/perf, Coverage).
func caution(k int) float64 { return 1 + 1.5/float64(max(1, k-1)) }

// secondsAround is the standard deviation of the seconds around the means of
// their visits, and its degrees of freedom.
func secondsAround(visits []Visit) (s, df float64) {
	var square float64
	for _, v := range visits {
		if n := float64(len(v.Seconds)); n > 1 {
			square += Variance(v.Seconds) * (n - 1)
			df += n - 1
		}
	}
	if df == 0 {
		return 0, 0
	}
	return math.Sqrt(square / df), df
}
