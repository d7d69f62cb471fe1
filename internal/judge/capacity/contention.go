package capacity

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

// contention is a fit of X = λn / (1 + α(n−1) + βn(n−1)): Amdahl's law with β = 0, otherwise the
// universal scalability law (N. Gunther). The parameters are ln λ, α, β.
type contention struct {
	p      []float64
	cov    [][]float64 // for residuals of variance 1
	spread float64     // standard deviation of one point about the curve
	df     float64     // degrees of freedom
}

// fitContention fits Amdahl's law (k = 2) or the universal one (k = 3); nil if the points leave a
// parameter undetermined.
func fitContention(points []observation, k int) *contention {
	if len(points) < k {
		return nil
	}
	f := func(p, residuals []float64, jacobian [][]float64) {
		for i, o := range points {
			log, gradient := contentionAt(p, o.n)
			residuals[i] = log - o.log
			copy(jacobian[i], gradient)
		}
	}
	low := []float64{math.Inf(-1), 0, 0}[:k]
	p, sum, cov, ok := stats.LeastSquares(f, contentionStart(points, k), low, len(points))
	if !ok {
		return nil
	}
	df := float64(len(points) - k)
	c := &contention{p: p, cov: cov, df: df, spread: meanNoise(points)}
	if df > 0 {
		c.spread = math.Max(c.spread, math.Sqrt(sum/df))
	}
	return c
}

// contentionStart is the best of a coarse grid of α and β, each with its best-fitting λ.
func contentionStart(points []observation, k int) []float64 {
	betas := []float64{0, 1e-4, 1e-3, 1e-2, 1e-1, 1}
	if k < 3 {
		betas = betas[:1]
	}
	var best []float64
	least := math.Inf(1)
	y := make([]float64, len(points))
	for _, alpha := range []float64{0, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1} {
		for _, beta := range betas {
			for i, o := range points {
				y[i] = o.log - math.Log(o.n/(1+alpha*(o.n-1)+beta*o.n*(o.n-1)))
			}
			if v := stats.Variance(y); v < least {
				least, best = v, []float64{stats.Mean(y), alpha, beta}[:k]
			}
		}
	}
	return best
}

// contentionAt is the law's logarithm at n, with its derivatives with respect to the parameters.
func contentionAt(p []float64, n float64) (log float64, gradient []float64) {
	beta := 0.0
	if len(p) > 2 {
		beta = p[2]
	}
	d := 1 + p[1]*(n-1) + beta*n*(n-1)
	gradient = []float64{1, -(n - 1) / d, -n * (n - 1) / d}
	return p[0] + math.Log(n) - math.Log(d), gradient[:len(p)]
}

func (c *contention) at(n float64) float64 {
	log, _ := contentionAt(c.p, n)
	return log
}

// deviation is the standard error of a linear combination of the parameters.
func (c *contention) deviation(gradient []float64) float64 {
	v := 0.0
	for i, a := range gradient {
		for j, b := range gradient {
			v += a * c.cov[i][j] * b
		}
	}
	return c.spread * math.Sqrt(math.Max(0, v))
}

// reach is the half-width of the 95 % prediction interval at n, in logarithms; NaN if there are no
// degrees of freedom left.
func (c *contention) reach(n float64) float64 {
	if c.df <= 0 {
		return math.NaN()
	}
	_, gradient := contentionAt(c.p, n)
	d := c.deviation(gradient)
	return stats.StudentT(c.df) * math.Sqrt(c.spread*c.spread+d*d)
}

// peak is the n at which the law is largest, infinite if it never decreases.
func (c *contention) peak() float64 {
	if len(c.p) < 3 || c.p[2] <= 0 {
		return math.Inf(1)
	}
	return math.Sqrt(math.Max(0, 1-c.p[1]) / c.p[2])
}

// capacity is the largest total that the law allows, with its interval in logarithms; ok is false if it
// is unlimited.
func (c *contention) capacity() (log, reach float64, ok bool) {
	var gradient []float64
	if n := c.peak(); !math.IsInf(n, 1) {
		log, gradient = contentionAt(c.p, math.Max(1, n))
	} else if alpha := c.p[1]; alpha > 0 && alpha > stats.StudentT(c.df)*c.deviation([]float64{0, 1, 0}[:len(c.p)]) {
		log, gradient = c.p[0]-math.Log(alpha), []float64{1, -1 / alpha, 0}[:len(c.p)]
	} else {
		return 0, 0, false
	}
	if c.df <= 0 {
		return log, math.NaN(), true
	}
	return log, stats.StudentT(c.df) * c.deviation(gradient), true
}

// law converts the fit to the model's form.
func (c *contention) law(unit string, largest float64) model.Law {
	kind := model.AmdahlLaw
	l := model.Law{Alpha: c.p[1]}
	if len(c.p) > 2 {
		kind, l.Beta = model.USLLaw, c.p[2]
	}
	l.Kind = kind
	l.First = exponential(unit, c.p[0], stats.StudentT(c.df)*c.deviation([]float64{1, 0, 0}[:len(c.p)]))
	log, reach, ok := c.capacity()
	// A capacity that may be three times larger or smaller is undetermined.
	if ok = ok && reach < math.Log(3); ok {
		e := exponential(unit, log, reach)
		l.Capacity = &e
		l.CapacityExtrapolated = e.Value > largest*1.05
	}
	if n := c.peak(); ok && !math.IsInf(n, 1) {
		l.Knee = math.Max(1, n)
	}
	return l
}

// exponential is the estimate exp(log ± reach); without an interval if reach is not finite.
func exponential(unit string, log, reach float64) model.Estimate {
	v := math.Exp(log)
	e := model.Estimate{Unit: unit, Value: v, Low: v, High: v}
	if low, high := math.Exp(log-reach), math.Exp(log+reach); reach > 0 && !math.IsInf(high, 0) {
		e.Low, e.High, e.Confidence = low, high, stats.Confidence
	}
	return e
}
