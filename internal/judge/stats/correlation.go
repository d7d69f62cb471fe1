package stats

import "math"

// maxCorrelation limits the estimated correlation between neighbours: beyond it an effective size is
// meaningless.
const maxCorrelation = 0.97

// Correlation is a cautious estimate of the lag-1 autocorrelation of the series: r₁, plus the bias that
// Kendall found in short series, (1+3r₁)/n, plus one standard error, √((1−φ²)/n); within [0, 0.97].
// Several stretches of one series may be given; pairs are taken within a stretch, deviations from the
// common mean.
func Correlation(stretches ...[]float64) float64 {
	phi, n, ok := likelyCorrelation(stretches...)
	if !ok {
		return phi
	}
	phi += math.Sqrt(math.Max(0, 1-phi*phi) / n)
	return math.Max(0, math.Min(maxCorrelation, phi))
}

// likelyCorrelation is Correlation without the standard error, and may be negative; n is the number of
// values. If ok is false there is no estimate, and phi is the value to assume.
func likelyCorrelation(stretches ...[]float64) (phi, n float64, ok bool) {
	var sum float64
	for _, y := range stretches {
		for _, v := range y {
			sum += v
		}
		n += float64(len(y))
	}
	if n < 3 {
		return maxCorrelation, n, false
	}
	mean := sum / n
	var square, product, pairs float64
	for _, y := range stretches {
		for i, v := range y {
			square += (v - mean) * (v - mean)
			if i > 0 {
				product += (v - mean) * (y[i-1] - mean)
				pairs++
			}
		}
	}
	if pairs == 0 {
		return maxCorrelation, n, false
	}
	if square == 0 {
		return 0, n, false
	}
	r := (product / pairs) / (square / n)
	r = math.Max(-1, math.Min(1, r))
	return r + (1+3*r)/n, n, true
}

// EffectiveSize is the number of independent values to which n values with lag-1 correlation phi are
// equivalent for their mean: n(1−φ)/(1+φ), the first-order autoregressive formula.
func EffectiveSize(n int, phi float64) float64 {
	return float64(n) * (1 - phi) / (1 + phi)
}

// EffectiveSizeOfStretch is EffectiveSize for a stretch of n values that may be short: n divided by
// 1 + 2·Σ(1−k/n)φᵏ for k from 1 to n−1, which is exact for the mean of a first-order autoregressive series. It is at least 1 where
// EffectiveSize tends to 0. 0 ≤ phi < 1.
func EffectiveSizeOfStretch(n int, phi float64) float64 {
	if n < 1 {
		return 0
	}
	m := float64(n)
	return m / ((1+phi)/(1-phi) - 2*phi*(1-math.Pow(phi, m))/(m*(1-phi)*(1-phi)))
}
