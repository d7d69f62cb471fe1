package trust

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
)

// dependentP is the p-value of the difference between the repeats before second end and those from
// second at on, if neighbours are correlated: the effective size of each side's mean is given by
// stats.Dependence. The correlation is estimated from the residuals of the seconds and of the repeats
// after subtracting each side's mean, otherwise the change itself would count; the smaller of the two
// is used.
func (s *series) dependentP(end, at int) float64 {
	pre, post := s.repeatsOf(0, end), s.repeatsOf(at, len(s.rate))
	a, b := centre(pre), centre(post)
	all := append(append([]stats.Repeat{}, pre...), post...)
	rho := math.Min(stats.SecondsCorrelation(all), stats.Correlation(values(pre), values(post)))
	widenPre, dfPre := sideWorth(len(pre), rho)
	widenPost, dfPost := sideWorth(len(post), rho)
	var square float64
	for _, v := range all {
		square += v.Value * v.Value
	}
	spread := math.Max(math.Sqrt(square/float64(len(all)-2)), stats.Floor*math.Max(a, b))
	m, n := float64(len(pre)), float64(len(post))
	return stats.StudentP(math.Abs(a-b)/(spread*math.Sqrt(widenPre*widenPre/m+widenPost*widenPost/n)), math.Max(1, dfPre+dfPost))
}

// sideWorth is stats.Dependence, which needs two repeats, for a side that may have only one.
func sideWorth(n int, rho float64) (widen, df float64) {
	if n < 2 {
		return 1, 0
	}
	return stats.Dependence(n, rho)
}

// repeatsOf are the parts of repeats within the given seconds.
func (s *series) repeatsOf(from, to int) []stats.Repeat {
	var list []stats.Repeat
	for i := from; i < to; {
		j := i
		for j < to && s.repeat[j] == s.repeat[i] {
			j++
		}
		seconds := append([]float64{}, s.rate[i:j]...)
		list = append(list, stats.Repeat{Value: s.mean(i, j), Seconds: seconds, Begin: s.begin[i], End: s.end[j-1]})
		i = j
	}
	return list
}

// centre subtracts the mean of the repeats from them and from their seconds, and returns it.
func centre(repeats []stats.Repeat) float64 {
	mean := stats.Mean(values(repeats))
	for i := range repeats {
		repeats[i].Value -= mean
		for k := range repeats[i].Seconds {
			repeats[i].Seconds[k] -= mean
		}
	}
	return mean
}

func values(repeats []stats.Repeat) []float64 {
	list := make([]float64, len(repeats))
	for i, v := range repeats {
		list[i] = v.Value
	}
	return list
}
