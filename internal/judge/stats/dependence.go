package stats

import "math"

// longest is the largest correlation per second that is assumed to extend over a pause: beyond ten
// seconds it cannot be distinguished from a slow spell of the repeat, and other workloads have run in
// between.
const longest = 0.9

// Dependence corrects t·s/√n for n repeats so close to each other that each is correlated by rho with
// the next: it returns the factor for the half-width and the remaining degrees of freedom. Repeats that
// are 20 s or more apart give about 1 and n − 1.
//
// With correlations ρ^|i−j| the n repeats are equivalent to n² / ΣΣρ^|i−j| independent ones, and their
// sample variance is too small by the share that they have in common; both follow from Var(x̄) =
// σ²·1ᵀR1/n².
func Dependence(n int, rho float64) (widen, df float64) {
	k := float64(n)
	sum := k
	for i, p := 1.0, rho; i < k && p > 1e-6; i, p = i+1, p*rho {
		sum += 2 * (k - i) * p
	}
	worth := k * k / sum
	return math.Sqrt(k / worth * (k - 1) / (k - k/worth)), freedom(n, rho)
}

// freedom is the degrees of freedom of the sample variance of n values if each is correlated by rho
// with the next (a first-order autoregression): tr(MR)² / tr(MRMR), with the centring matrix M and the
// correlation matrix R (Satterthwaite's approximation of a sum of squares by a χ²).
func freedom(n int, rho float64) float64 {
	if rho <= 0 {
		return float64(n - 1)
	}
	// The columns of R have the means c, and tr(MR) = n − Σc, tr(MRMR) = ΣΣr² − 2nΣc² + (Σc)². The part
	// of a column after the diagonal has the same sums as the part before it, in reverse order.
	k := float64(n)
	right := make([]float64, n)
	for i := 1; i < n; i++ {
		right[i] = rho * (1 + right[i-1])
	}
	var all, columns, squares float64
	power := 1.0
	for i := range n {
		c := (1 + right[i] + right[n-1-i]) / k
		columns, squares = columns+c, squares+c*c
		if i == 0 {
			all = k
			continue
		}
		power *= rho * rho
		all += 2 * (k - float64(i)) * power
	}
	trace := k - columns
	return trace * trace / (all - 2*k*squares + columns*columns)
}

// dependence is Dependence for repeats, by a cautious estimate of the correlation between one and the
// next: what remains of the correlation of the seconds after the pause, or the correlation of the
// repeats themselves if that is less (with 1.75 standard errors).
func dependence(repeats []Repeat, values []float64) (widen, df float64) {
	rho := math.Min(SecondsCorrelation(repeats), Correlation(values)+0.75/math.Sqrt(float64(len(repeats))))
	return Dependence(len(repeats), rho)
}

// SecondsCorrelation is what remains of the correlation of the seconds after the pause between one
// repeat and the next.
func SecondsCorrelation(repeats []Repeat) float64 {
	stretches := make([][]float64, len(repeats))
	for i, v := range repeats {
		stretches[i] = v.Seconds
	}
	length, pause := lengthAndPause(repeats)
	return meanCorrelation(math.Min(longest, Correlation(stretches...)), math.Max(1, length), pause)
}

// lengthAndPause are the mean length of the repeats and the mean pause between one and the next, in seconds.
func lengthAndPause(repeats []Repeat) (length, pause float64) {
	k := float64(len(repeats))
	for i, v := range repeats {
		length += (v.End - v.Begin) / k
		if i > 0 {
			pause += math.Max(0, v.Begin-repeats[i-1].End) / (k - 1)
		}
	}
	return length, pause
}

// meanCorrelation is the correlation between the means of two stretches of the
// given length with a pause between them, in seconds, of a first-order
// autoregression with coefficient phi per second.
func meanCorrelation(phi, length, pause float64) float64 {
	if phi <= 0 {
		return 0
	}
	reach := (1 - math.Pow(phi, length)) / (1 - phi)
	variance := length + 2*phi/(1-phi)*(length-reach)
	return math.Pow(phi, pause+1) * reach * reach / variance
}
