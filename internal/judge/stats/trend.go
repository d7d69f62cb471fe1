package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Trend is the Theil–Sen slope of y over t, the median of the slopes of all pairs, with its interval by
// the normal approximation of Kendall's S (P. K. Sen, 1968). The variance of S is increased according
// to the effective number of values, given the correlation of the residuals. level is the probability
// outside the interval, such as 0.001. The interval is infinite if there are too few values.
func Trend(t, y []float64, level float64) (slope, low, high float64) {
	n := len(y)
	slopes := newSlopes(t, y)
	if slopes.count == 0 {
		return 0, math.Inf(-1), math.Inf(1)
	}
	slope = slopes.quantile(0.5)
	residuals := make([]float64, n)
	for i := range y {
		residuals[i] = y[i] - slope*t[i]
	}
	k := float64(n)
	phi, _, _ := likelyCorrelation(residuals)
	worth := EffectiveSize(n, math.Max(0, math.Min(maxCorrelation, phi))) / k
	sigma := math.Sqrt(k * (k - 1) * (2*k + 5) / 18 / worth)
	reach := distuv.UnitNormal.Quantile(1-level/2) * sigma
	a := int(math.Round((float64(slopes.count)-reach)/2)) - 1
	if a < 0 {
		return slope, math.Inf(-1), math.Inf(1)
	}
	return slope, slopes.at(a), slopes.at(slopes.count - 1 - a)
}
