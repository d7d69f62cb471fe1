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

// shortLine, times the squared correlation and divided by the number of values, widens the interval of Line: in a
// short series the residuals vary less than the noise, and look less correlated. It was chosen by simulation:
// a 99.9 % interval excludes 0 in at most one in 200 series of 60 values without a trend that are correlated by 0.95.
const shortLine = 550

// Line is the least-squares slope, per value, of an evenly spaced series, with its interval, in noise that is a
// first-order autoregression. Over n values the standard error of the change is σ·√(12/n)·√((1+φ)/(1−φ)), for many
// values (Grenander and Rosenblatt, 1957), where σ and φ are the standard deviation of the residuals and a cautious
// estimate of the correlation of neighbours. level is the probability outside the interval, such as 0.001.
func Line(y []float64, level float64) (slope, low, high float64) {
	slope = Slope(y)
	mean, n := Mean(y), float64(len(y))
	rest := make([]float64, len(y))
	for i, v := range y {
		rest[i] = v - mean - slope*(float64(i)-(n-1)/2)
	}
	phi := Correlation(rest)
	se := StdDev(rest) * math.Sqrt(12/n*(1+phi)/(1-phi)) / n
	reach := (distuv.UnitNormal.Quantile(1-level/2) + shortLine*phi*phi/n) * se
	return slope, slope - reach, slope + reach
}

// walkBlocks is about how many blocks' means Walk compares: up to 39, because a block has a whole number of values. Neighbouring changes of the means of a random walk are
// correlated by 1/4 (Working, 1960), so that their sum varies by the factor workingEffect more than independent ones.
const walkBlocks = 30

var workingEffect = math.Sqrt(1.5)

// Walk is the mean change per value of an evenly spaced series, with its interval, if what remains is a random walk: the changes
// from each of about thirty blocks of equal length (fewer in a short series) to the next are compared with their variation (Student's t). Of any stationary noise, the changes
// cancel out, so that the interval excludes 0 even less often. It needs no shape, unlike Line: a rate may fall for a
// while and then stay. level is the probability outside the interval, such as 0.001. The interval is infinite if there
// are fewer than ten blocks of three values.
func Walk(y []float64, level float64) (slope, low, high float64) {
	size := max(3, len(y)/walkBlocks)
	n := len(y) / size
	if n < 10 {
		return 0, math.Inf(-1), math.Inf(1)
	}
	// What does not fill a block is left out at the beginning.
	y = y[len(y)-n*size:]
	steps := make([]float64, n-1)
	for i := range steps {
		steps[i] = Mean(y[(i+1)*size:(i+2)*size]) - Mean(y[i*size:(i+1)*size])
	}
	df := float64(len(steps) - 1)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(1 - level/2)
	reach := workingEffect * t * StdDev(steps) / math.Sqrt(float64(len(steps)))
	mean, per := Mean(steps), float64(size)
	return mean / per, (mean - reach) / per, (mean + reach) / per
}
