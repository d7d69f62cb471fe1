package perf

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
)

// oldRule is Loadline's rule from before workloads shared their variance: the larger of
// t·s/√k over the repeats, corrected for the correlation that short pauses leave, and
// t·s/√n over the seconds around the means of their repeats; added to that, 0.4 s of stall
// that may have been missed, at most five standard deviations of a second. The stopping rule
// required up to 1.75 times as much.
func oldRule(repeats []stay, whole float64) (half, stop float64) {
	k := len(repeats)
	if k < 2 {
		return math.Inf(1), math.Inf(1)
	}
	list := make([]stats.Repeat, k)
	var square, degrees float64
	n := 0
	for i, v := range repeats {
		list[i] = stats.Repeat{Value: v.value, Seconds: v.seconds, Begin: v.begin, End: v.end}
		n += len(v.seconds)
		if m := float64(len(v.seconds)); m > 1 {
			square, degrees = square+stats.Variance(v.seconds)*(m-1), degrees+m-1
		}
	}
	values := valuesOf(repeats)
	rho := math.Min(stats.SecondsCorrelation(list), stats.Correlation(values)+0.75/math.Sqrt(float64(k)))
	widen, df := stats.Dependence(k, rho)
	seen := stats.StudentT(df) * stats.StdDev(values) / math.Sqrt(float64(k)) * widen
	caution := 1 + 1.5/float64(k-1)
	if n == 0 {
		return math.Min(1.15, caution) * seen, caution * seen
	}
	s := math.Sqrt(square / degrees)
	seen = math.Max(seen, stats.StudentT(degrees)*s/math.Sqrt(float64(n)))
	missed := math.Min(0.4/float64(n)*whole, 5*s)
	return math.Hypot(seen, missed), math.Hypot(caution*seen, missed)
}
