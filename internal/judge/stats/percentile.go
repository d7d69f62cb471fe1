package stats

import "math"

// PercentileNeeds is the number of independent values from which on the p-th percentile (0 < p < 100)
// has an upper 95 % limit by binomial ranks: with n values the largest lies above it with probability 1
// − (p/100)ⁿ, which must reach 0.975. 6, 36, 367, 3,687 and 36,887 for p50, p90, p99, p99.9 and p99.99.
func PercentileNeeds(p float64) float64 {
	n := math.Log((1-Confidence)/2) / math.Log(p/100)
	// One value more or less changes the probability by (1 − p/100)·0.025: beyond p90 that is within
	// the rounding of 0.975, so the nearest integer is used.
	if p > 90 {
		return math.Round(n)
	}
	return math.Ceil(n)
}
