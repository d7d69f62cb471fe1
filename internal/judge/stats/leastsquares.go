package stats

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// LeastSquares minimises the sum of squared residuals over parameters with lower bounds low, by the
// Levenberg–Marquardt method with projection onto the bounds. f computes the residuals and their
// derivatives: jacobian[i][j] is that of residual i by parameter j. It returns the parameters, the sum
// of squares, and the covariance of the parameters for residuals of variance 1; a parameter at its
// bound has a covariance of 0. ok is false if the residuals leave some free parameter undetermined.
func LeastSquares(f func(p, residuals []float64, jacobian [][]float64), start, low []float64, n int) (p []float64, sum float64, cov [][]float64, ok bool) {
	k := len(start)
	p = append([]float64(nil), start...)
	residuals, trial := make([]float64, n), make([]float64, n)
	jacobian, other := matrix(n, k), matrix(n, k)
	f(p, residuals, jacobian)
	sum = squares(residuals)
	for damping, steps := 1e-3, 0; steps < 300 && damping < 1e12; steps++ {
		free := freeParameters(p, low, residuals, jacobian)
		step := marquardtStep(free, residuals, jacobian, damping)
		if step == nil {
			damping *= 10
			continue
		}
		next := append([]float64(nil), p...)
		for i, j := range free {
			next[j] = math.Max(low[j], p[j]+step[i])
		}
		f(next, trial, other)
		if s := squares(trial); s < sum {
			done := sum-s <= 1e-15*sum
			p, sum, damping = next, s, damping/10
			residuals, trial, jacobian, other = trial, residuals, other, jacobian
			if done {
				break
			}
			continue
		}
		damping *= 10
	}
	cov, ok = covariance(freeParameters(p, low, residuals, jacobian), jacobian, k)
	return p, sum, cov, ok
}

// freeParameters are those that are not held at their bound: a parameter is held if it is at its bound
// and the descent leads across it.
func freeParameters(p, low, residuals []float64, jacobian [][]float64) []int {
	var free []int
	for j := range p {
		gradient := 0.0
		for i := range residuals {
			gradient += residuals[i] * jacobian[i][j]
		}
		if p[j] > low[j] || gradient < 0 {
			free = append(free, j)
		}
	}
	return free
}

// normal is JᵀJ over the free parameters.
func normal(free []int, jacobian [][]float64) *mat.SymDense {
	a := mat.NewSymDense(max(1, len(free)), nil)
	for x, i := range free {
		for y, j := range free[:x+1] {
			s := 0.0
			for _, row := range jacobian {
				s += row[i] * row[j]
			}
			a.SetSym(x, y, s)
		}
	}
	return a
}

func marquardtStep(free []int, residuals []float64, jacobian [][]float64, damping float64) []float64 {
	if len(free) == 0 {
		return nil
	}
	a, b := normal(free, jacobian), mat.NewVecDense(len(free), nil)
	for x, j := range free {
		a.SetSym(x, x, a.At(x, x)*(1+damping)+1e-300)
		s := 0.0
		for i, row := range jacobian {
			s -= row[j] * residuals[i]
		}
		b.SetVec(x, s)
	}
	var c mat.Cholesky
	var step mat.VecDense
	if !c.Factorize(a) || c.SolveVecTo(&step, b) != nil {
		return nil
	}
	return step.RawVector().Data
}

func covariance(free []int, jacobian [][]float64, k int) ([][]float64, bool) {
	cov := matrix(k, k)
	if len(free) == 0 {
		return cov, true
	}
	var c mat.Cholesky
	var inverse mat.SymDense
	if len(free) > len(jacobian) || !c.Factorize(normal(free, jacobian)) || c.InverseTo(&inverse) != nil {
		return cov, false
	}
	for x, i := range free {
		for y, j := range free {
			cov[i][j] = inverse.At(x, y)
		}
	}
	return cov, true
}

func squares(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return s
}

func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}
