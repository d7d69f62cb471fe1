package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Contrast is the estimated difference between two sides on the logarithmic scale: B is exp(Difference)
// times A.
type Contrast struct {
	// Difference is the mean of ln B − ln A.
	Difference float64
	// Error is its standard error, and DF the degrees of freedom of that.
	Error, DF float64
	// Level is the mean of (ln A + ln B)/2: the common level of the two.
	Level float64
	// Blocks is the number of pairs it is based on; for runs that were not interleaved, the number of
	// repeats of the side that has fewer.
	Blocks int
}

// Pair is one block: a repeat of A and a repeat of B, close to each other in time. Value is the
// logarithm of a rate or a latency; Seconds are relative to the repeat's own value (may be empty).
type Pair struct{ A, B Repeat }

// Paired estimates the contrast from blocks: ratio = exp(δ̄ ± t·s/√n) with δ_i = ln B_i − ln A_i. floor
// is the smallest half-width that is ever published.
//
// What both sides have in common at the time of a block cancels: drift, the state of a shared disk, the
// neighbours' load. Effects that are specific to a side and last longer than a block (two disks, each
// with its slow spells) do not, so s/√n is corrected for a correlation between blocks that three
// sources must all show: the seconds of a side, over the pause; the differences, with a wide allowance;
// and the two sides' repeats, beyond one standard error. The last is less cautious than Rounds, because
// otherwise nothing is found on a workload that is measured alone: with 3 % own noise per repeat, ten
// blocks would then find −5 % in 25 of 100 comparisons, and with this estimate find it in more than 80.
// The price is paid if two disks keep their slow spells for longer than a block (test/perf, EqualSides,
// "two disks, correlated 0.9, gap 1 s"). The error is never smaller than the seconds within the repeats
// require, so that a few blocks that agree by luck are not mistaken for precision. From eight blocks
// on, the effect of the order of the repeats is removed first.
//
// DF is 0, and Error +Inf, below two blocks.
func Paired(blocks []Pair, floor float64) Contrast {
	k := len(blocks)
	c := Contrast{Blocks: k, Error: math.Inf(1)}
	a, b, differences := make([]Repeat, k), make([]Repeat, k), make([]float64, k)
	for i, p := range blocks {
		a[i], b[i] = p.A, p.B
		differences[i] = p.B.Value - p.A.Value
		c.Level += (p.A.Value + p.B.Value) / 2 / float64(k)
	}
	order := inOrder(blocks, differences)
	c.Difference = order.mean
	if k < 2 {
		return c
	}
	rho := math.Min(math.Max(repeatCorrelation(a), repeatCorrelation(b)), Correlation(order.rest)+0.75/math.Sqrt(float64(k)))
	widen, df := Dependence(k, math.Min(rho, seenCorrelation(a, b)))
	df = math.Max(1, df-order.lost)
	c.DF = df
	seen := order.error * widen
	sA, dfA := secondsAround(a)
	sB, dfB := secondsAround(b)
	within := math.Hypot(sA/math.Sqrt(dfA+float64(k)), sB/math.Sqrt(dfB+float64(k)))
	c.Error = atLeast(seen, df, within, dfA+dfB, floor)
	return c
}

// Independent estimates the contrast from two runs that were not interleaved, by Welch's method on
// logarithms (B. L. Welch, Biometrika 34, 1947). Whatever else changed between the two runs is part of
// the difference and not of its interval.
func Independent(a, b []Repeat, floor float64) Contrast {
	c := Contrast{Blocks: min(len(a), len(b)), Error: math.Inf(1),
		Difference: meanValue(b) - meanValue(a), Level: (meanValue(a) + meanValue(b)) / 2}
	if c.Blocks < 2 {
		return c
	}
	errA, dfA := meanError(a)
	errB, dfB := meanError(b)
	vA, vB := errA*errA, errB*errB
	c.DF = math.Min(dfA, dfB)
	if v := vA + vB; v > 0 {
		c.DF = math.Max(1, v*v/(vA*vA/dfA+vB*vB/dfB))
	}
	c.Error = atLeast(math.Sqrt(vA+vB), c.DF, 0, 0, floor)
	return c
}

// Known is the contrast of two means with known half-widths, on the logarithmic scale, from one long
// repeat each.
func Known(a, halfA, b, halfB, floor float64) Contrast {
	half := math.Max(floor, math.Hypot(halfA, halfB))
	c := Contrast{Difference: b - a, Level: (a + b) / 2, DF: math.Inf(1), Blocks: 1}
	c.Error = half / c.quantile(Confidence)
	return c
}

// atLeast is the standard error that, with df degrees of freedom, gives the widest of three 95 %
// half-widths: seen, within, and the floor.
func atLeast(seen, df, within, dfWithin, floor float64) float64 {
	half := math.Max(StudentT(df)*seen, floor)
	if dfWithin > 0 {
		half = math.Max(half, StudentT(dfWithin)*within)
	}
	return half / StudentT(df)
}

// meanError is the standard error of the mean of repeats, and its degrees of freedom, with the same
// cautions as Paired.
func meanError(repeats []Repeat) (err, df float64) {
	k := len(repeats)
	values := make([]float64, k)
	for i, v := range repeats {
		values[i] = v.Value
	}
	widen, df := dependence(repeats, values)
	s, dfWithin := secondsAround(repeats)
	seen := StdDev(values) / math.Sqrt(float64(k)) * widen
	return atLeast(seen, df, s/math.Sqrt(dfWithin+float64(k)), dfWithin, 0), df
}

func meanValue(repeats []Repeat) float64 {
	var sum float64
	for _, v := range repeats {
		sum += v.Value
	}
	return sum / float64(len(repeats))
}

// seenCorrelation is the mean lag-1 correlation of the repeats of both sides, with Kendall's
// correction, minus one standard error.
func seenCorrelation(a, b []Repeat) float64 {
	k := float64(len(a))
	if k < 3 {
		return maxCorrelation
	}
	r := (lagOne(a) + lagOne(b)) / 2
	return math.Max(0, math.Min(maxCorrelation, r+(1+3*r)/k-1/math.Sqrt(2*k)))
}

// lagOne is the lag-1 correlation of the values of repeats; 0 if they are all the same.
func lagOne(repeats []Repeat) float64 {
	mean := meanValue(repeats)
	var square, product float64
	for i, v := range repeats {
		square += (v.Value - mean) * (v.Value - mean)
		if i > 0 {
			product += (v.Value - mean) * (repeats[i-1].Value - mean)
		}
	}
	if square == 0 {
		return 0
	}
	k := float64(len(repeats))
	return product / (k - 1) / (square / k)
}

// repeatCorrelation is the correlation between consecutive repeats as estimated from the seconds of a
// side, relative to the side's mean.
func repeatCorrelation(repeats []Repeat) float64 {
	mean := meanValue(repeats)
	around := make([]Repeat, len(repeats))
	for i, v := range repeats {
		around[i] = Repeat{Begin: v.Begin, End: v.End, Seconds: make([]float64, len(v.Seconds))}
		level := math.Exp(v.Value - mean)
		for j, y := range v.Seconds {
			around[i].Seconds[j] = y * level
		}
	}
	return SecondsCorrelation(around)
}

// Half is the half-width of the interval with the given confidence, on the logarithmic scale; +Inf if
// nothing is known.
func (c Contrast) Half(confidence float64) float64 {
	if !(c.DF > 0) {
		return math.Inf(1)
	}
	return c.quantile(confidence) * c.Error
}

// quantile is the two-sided quantile of Student's t.
func (c Contrast) quantile(confidence float64) float64 {
	switch {
	case math.IsInf(c.DF, 1):
		return distuv.UnitNormal.Quantile(1 - (1-confidence)/2)
	case confidence == Confidence:
		return StudentT(c.DF)
	}
	return distuv.StudentsT{Sigma: 1, Nu: c.DF}.Quantile(1 - (1-confidence)/2)
}

// P is the two-sided p-value: the probability of a difference at least as large under the null
// hypothesis that there is none; 1 if nothing is known.
func (c Contrast) P() float64 {
	switch {
	case !(c.DF > 0) || math.IsNaN(c.Difference):
		return 1
	case c.Error == 0:
		if c.Difference == 0 {
			return 1
		}
		return 0
	case math.IsInf(c.DF, 1):
		return 2 * distuv.UnitNormal.CDF(-math.Abs(c.Difference)/c.Error)
	}
	return 2 * distuv.StudentsT{Sigma: 1, Nu: c.DF}.CDF(-math.Abs(c.Difference)/c.Error)
}

// Ratio is B as a multiple of A with its 95 % interval; if nothing is known, the interval is 0 to +Inf.
func (c Contrast) Ratio() (value, low, high float64) {
	half := c.Half(Confidence)
	return math.Exp(c.Difference), math.Exp(c.Difference - half), math.Exp(c.Difference + half)
}

// Sides are the two values whose quotient is the ratio: the geometric means over the blocks, or over
// the repeats of runs that were not interleaved. Other means would contradict the ratio if the blocks
// differ much.
func (c Contrast) Sides() (a, b float64) {
	return math.Exp(c.Level - c.Difference/2), math.Exp(c.Level + c.Difference/2)
}

// lookedAt widens the interval of a comparison whose length depended on its data: the rule stops when
// the blocks happen to agree, so their standard deviation is too small by a few percent. Without it,
// 91.5 % to 95 % of the intervals contain the true value, with it 93.5 % to 96 % (test/perf,
// EqualSides).
const lookedAt = 1.1

// Looked is the contrast after blocks were added until Enough was satisfied.
func (c Contrast) Looked() Contrast {
	c.Error *= lookedAt
	return c
}

// Enough is the rule that ends a comparison: this row needs no more blocks. Either the 95 % interval,
// widened by the caution that a data-dependent stopping rule requires (see Rounds), is narrower from
// end to end than the margin, so that two equal sides are found to be the same; or the 99.9 % interval
// already lies wholly beyond the margin or wholly within it. Checking after each block at 99.9 % adds
// less than one false stop in a hundred comparisons (test/perf).
func (c Contrast) Enough(margin float64) bool {
	if half := c.Half(Confidence) * math.Max(caution(c.Blocks), lookedAt); 2*math.Sinh(half) <= margin {
		return true
	}
	return c.place(margin, c.Half(0.999)) != Unclear
}

// BlocksFor is the total number of blocks that would reduce the half-width to half (on the logarithmic
// scale) if the variation of the blocks stays the same; 0 if unknown, or if more than a million would
// be needed.
func (c Contrast) BlocksFor(half float64) int {
	if !(c.DF > 0) || math.IsInf(c.Error, 1) || !(half > 0) {
		return 0
	}
	one := c.Error * math.Sqrt(float64(c.Blocks))
	enough := func(n int) bool { return StudentT(float64(n-1))*one/math.Sqrt(float64(n)) <= half }
	low, high := 1, 2
	for ; !enough(high); high *= 2 {
		if high > 1e6 {
			return 0
		}
		low = high
	}
	for high-low > 1 {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// secondsAround is the standard deviation of the seconds around the means of their repeats, and its
// degrees of freedom.
func secondsAround(repeats []Repeat) (s, df float64) {
	var square float64
	for _, v := range repeats {
		if n := float64(len(v.Seconds)); n > 1 {
			square += Variance(v.Seconds) * (n - 1)
			df += n - 1
		}
	}
	if df == 0 {
		return 0, 0
	}
	return math.Sqrt(square / df), df
}
