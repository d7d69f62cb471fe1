package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is the nominal coverage of every interval of this package.
const Confidence = 0.95

// Mean is the arithmetic mean; NaN when y is empty.
func Mean(y []float64) float64 {
	var sum float64
	for _, v := range y {
		sum += v
	}
	return sum / float64(len(y))
}

// Variance is the sample variance (n − 1); NaN below two values.
func Variance(y []float64) float64 {
	if len(y) < 2 {
		return math.NaN()
	}
	m := Mean(y)
	var sum float64
	for _, v := range y {
		sum += (v - m) * (v - m)
	}
	return sum / float64(len(y)-1)
}

// StdDev is the sample standard deviation (n − 1); NaN below two values.
func StdDev(y []float64) float64 { return math.Sqrt(Variance(y)) }

// StudentT is the two-sided quantile of Student's t at Confidence: 95 % of the
// distribution with df degrees of freedom lie within ± the result. +Inf when
// df is not positive.
func StudentT(df float64) float64 {
	if !(df > 0) {
		return math.Inf(1)
	}
	if i := int(df); float64(i) == df && i < len(studentTable) {
		return studentTable[i]
	}
	return studentT(df)
}

func studentT(df float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - (1-Confidence)/2)
}

// studentTable avoids the numerical inversion for the common integer df.
var studentTable = func() (t [128]float64) {
	t[0] = math.Inf(1)
	for df := 1; df < len(t); df++ {
		t[df] = studentT(float64(df))
	}
	return t
}()

// Slope is the least-squares slope of y over its index, per index; 0 below two
// values.
func Slope(y []float64) float64 {
	n := float64(len(y))
	if n < 2 {
		return 0
	}
	middle, m := (n-1)/2, Mean(y)
	var sum float64
	for i, v := range y {
		sum += (float64(i) - middle) * (v - m)
	}
	return sum / (n * (n*n - 1) / 12)
}

// StudentP is the two-sided p-value of t: the probability that Student's t with df degrees of freedom
// lies farther from 0; 1 if df is not positive or t is NaN.
func StudentP(t, df float64) float64 {
	if !(df > 0) || math.IsNaN(t) {
		return 1
	}
	return 2 * distuv.StudentsT{Sigma: 1, Nu: df}.Survival(math.Abs(t))
}
