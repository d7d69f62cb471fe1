package stats

import "math"

// Visit is one stay at a workload: its value (a rate, a mean latency …), the
// same second by second, and when it began and ended (seconds on one clock).
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

// Rounds is the half-width of the interval around the mean of several visits,
// in the unit of the values. It is the largest of
//
//   - between: t·s/√k over the k visits, which sees what changes from one visit
//     to the next and nothing else;
//   - within: t·s/√ESS over all seconds, which has more degrees of freedom, so
//     that three visits that agree by luck do not end a noisy measurement;
//
// times Caution(k), because the caller stops when the result is small: a rule
// that looks before it stops picks the moments when s is too small.
// +Inf when nothing can be said: below two visits and three seconds.
func Rounds(visits []Visit) float64 {
	k := len(visits)
	if k < 2 {
		return math.Inf(1)
	}
	values := make([]float64, k)
	stretches := make([][]float64, k)
	var all []float64
	for i, v := range visits {
		values[i], stretches[i] = v.Value, v.Seconds
		all = append(all, v.Seconds...)
	}
	between := StudentT(float64(k-1)) * StdDev(values) / math.Sqrt(float64(k))
	h := between
	if len(all) > k {
		ess := EffectiveSize(len(all), Correlation(stretches...))
		within := StudentT(math.Max(1, ess-1)) * StdDev(all) / math.Sqrt(ess)
		h = math.Max(h, within)
	}
	return Caution(k) * h
}

// Caution is the factor by which the interval of k visits is widened for
// optional stopping. It is fitted by simulation (test/perf, Coverage): without
// it, stopping as soon as three visits agree covers the truth in 85–90 % of the
// cases instead of 95 %.
func Caution(k int) float64 {
	return 1 + 1.5/float64(max(1, k-1))
}
