package stats

import "math"

// warmupBatch is the batch length of MSER-5 in values (seconds).
const warmupBatch = 5

// Warmup is the number of leading values that MSER-5 would drop: over means of five values z, the d ≤
// k/2 that minimises Σ_{i>d}(z_i−z̄_d)²/(k−d)² (White and Robinson's marginal standard error rule),
// times five.
func Warmup(y []float64) int {
	k := len(y) / warmupBatch
	if k < 2 {
		return 0
	}
	z := make([]float64, k)
	for i := range z {
		z[i] = Mean(y[i*warmupBatch : (i+1)*warmupBatch])
	}
	// Backwards, so that mean and sum of squares are updated by one value each time (Welford's
	// recurrence); among equal ones the smallest d counts.
	best, at := math.Inf(1), 0
	var m, sum float64
	for d := k - 1; d >= 0; d-- {
		left := float64(k - d)
		away := z[d] - m
		m += away / left
		sum += away * (z[d] - m)
		if d <= k/2 && sum/(left*left) <= best {
			best, at = sum/(left*left), d
		}
	}
	return at * warmupBatch
}
