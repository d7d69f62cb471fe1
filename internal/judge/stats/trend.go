package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Trend is the Theil–Sen slope of y over t, the median of the slopes of all pairs, with its interval by
// the normal approximation of Kendall's S (P. K. Sen, 1968). The variance of S is increased according
// to the effective number of values, given the correlation of the residuals, which is at least the given
// one. level is the probability outside the interval, such as 0.001. The interval is infinite if there are too
// few values.
func Trend(t, y []float64, level, correlation float64) (slope, low, high float64) {
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
	worth := EffectiveSize(n, math.Max(correlation, math.Min(maxCorrelation, phi))) / k
	sigma := math.Sqrt(k * (k - 1) * (2*k + 5) / 18 / worth)
	reach := distuv.UnitNormal.Quantile(1-level/2) * sigma
	a := int(math.Round((float64(slopes.count)-reach)/2)) - 1
	if a < 0 {
		return slope, math.Inf(-1), math.Inf(1)
	}
	return slope, slopes.at(a), slopes.at(slopes.count - 1 - a)
}

// Detrended returns the deviations of an evenly spaced series from its least-squares line.
func Detrended(y []float64) []float64 {
	slope, mean, middle := Slope(y), Mean(y), (float64(len(y))-1)/2
	rest := make([]float64, len(y))
	for i, v := range y {
		rest[i] = v - mean - slope*(float64(i)-middle)
	}
	return rest
}

// BatchCorrelation is the correlation between the means of successive batches of k values each, of a
// first-order autoregression whose neighbours are correlated by phi: the ratio of the sums of
// φ^|i−j| over pairs in two batches and in one.
func BatchCorrelation(phi, k float64) float64 {
	if phi <= 0 || k <= 1 {
		return math.Max(0, phi)
	}
	far := math.Pow(phi, k)
	return phi * (1 - far) * (1 - far) / (k*(1-phi*phi) - 2*phi*(1-far))
}
