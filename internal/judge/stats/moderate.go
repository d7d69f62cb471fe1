package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// maxPrior limits the degrees of freedom of a prior variance: 6 to 14 workloads estimate them badly,
// and too many make the intervals too narrow for workloads that are not alike after all.
const maxPrior = 8.0

// spread is a sample variance with its degrees of freedom.
type spread struct{ variance, df float64 }

// finest is the smallest relative variance that is distinguished from zero, that of a part in a
// million: differences due to floating-point rounding are below it, counts of I/Os over a few seconds
// are not. If a throttle makes all seconds equal, fitting priors to such rounding errors divides zero
// by zero.
const finest = 1e-12

// spreadOf is the spread of a sample; none below two values.
func spreadOf(y []float64) spread {
	if len(y) < 2 {
		return spread{}
	}
	return spread{math.Max(Variance(y), finest), float64(len(y) - 1)}
}

// plus is the spread of a sum of independent parts (Welch–Satterthwaite).
func (s spread) plus(o spread) spread {
	if !(o.variance > 0) {
		return s
	}
	sum := s.variance + o.variance
	return spread{sum, sum * sum / (s.variance*s.variance/s.df + o.variance*o.variance/o.df)}
}

// prior is what several spreads have in common: the expected variance of each is level + slope times
// its own size, with the certainty of df degrees of freedom.
type prior struct{ level, slope, df float64 }

// at is the expected variance for the size x.
func (p prior) at(x float64) float64 { return p.level + p.slope*x }

// moderate combines a spread with the prior: the moderated variance of Smyth (2004, Statistical
// Applications in Genetics and Molecular Biology 3:3), (d₀s₀² + d·s²) / (d₀ + d).
func (p prior) moderate(s spread, x float64) spread {
	df := p.df + s.df
	if df == 0 {
		return s
	}
	return spread{(p.df*p.at(x) + s.df*s.variance) / df, df}
}

// priorOf fits a prior to spreads, each with a size that its variance may follow (the limma method's
// trend). Unlike Smyth's, the common level is the mean of the variances and not their geometric mean:
// if only some workloads encountered an occasional event, the others may still encounter it. The
// variation between workloads is estimated as by Smyth: var(ln s²/s₀²) minus its sampling variance,
// ψ′(d/2), is ψ′(d₀/2).
func priorOf(list []spread, sizes []float64) prior {
	p := fitLevel(list, sizes)
	var logs, sampling []float64
	for i, s := range list {
		if at := p.at(sizes[i]); s.df > 0 && at > 0 {
			// A variance of 0 has no logarithm: it counts as a millionth of the expected one.
			logs = append(logs, math.Log(math.Max(s.variance/at, 1e-6))-mathext.Digamma(s.df/2)+math.Log(s.df/2))
			sampling = append(sampling, trigamma(s.df/2))
		}
	}
	if len(logs) < 2 {
		return p
	}
	p.df = maxPrior
	if own := Variance(logs) - Mean(sampling); own > 0 {
		p.df = math.Min(maxPrior, 2*trigammaInverse(own))
	}
	return p
}

// fitLevel is the level and slope, neither negative, with the largest likelihood: the variances are
// gamma distributed with shape d/2 around level + slope·size. The updates never reduce the likelihood
// (Févotte & Idier 2011, for the Itakura–Saito divergence).
func fitLevel(list []spread, sizes []float64) prior {
	var p prior
	var variance, size, df float64
	for i, s := range list {
		variance, size, df = variance+s.df*s.variance, size+s.df*sizes[i], df+s.df
	}
	if df == 0 || variance == 0 {
		return p
	}
	if size == 0 {
		p.level = variance / df
		return p
	}
	p.level, p.slope = variance/df/2, variance/size/2
	for range 60 {
		var a, b, c, d float64
		for i, s := range list {
			v := p.at(sizes[i])
			if v <= 0 {
				continue
			}
			seen := s.df * s.variance / (v * v)
			a, b = a+seen, b+s.df/v
			c, d = c+seen*sizes[i], d+s.df*sizes[i]/v
		}
		p.level *= math.Sqrt(a / b)
		if d > 0 {
			p.slope *= math.Sqrt(c / d)
		}
	}
	return p
}

// varianceP is the one-sided p-value of a variance under the null hypothesis that it is v, known with
// df degrees of freedom.
func varianceP(s spread, v, df float64) float64 {
	if !(v > 0) || s.df <= 0 || df <= 0 {
		return 1
	}
	return distuv.F{D1: s.df, D2: df}.Survival(s.variance / v)
}

func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// trigammaInverse solves ψ′(y) = x for x > 0 by Newton's method on 1/ψ′, which is nearly linear (Smyth
// 2004, appendix).
func trigammaInverse(x float64) float64 {
	y := 0.5 + 1/x
	for range 50 {
		t := trigamma(y)
		// ψ″(y) = −2·ζ(3, y).
		step := t * (1 - t/x) / (-2 * mathext.Zeta(3, y))
		y += step
		if math.Abs(step) < 1e-8*y {
			break
		}
	}
	return y
}
