package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// line is y = a + b·x.
func line(x, y []float64) func(p, residuals []float64, jacobian [][]float64) {
	return func(p, residuals []float64, jacobian [][]float64) {
		for i := range x {
			residuals[i] = p[0] + p[1]*x[i] - y[i]
			jacobian[i][0], jacobian[i][1] = 1, x[i]
		}
	}
}

func TestLeastSquaresOfALine(t *testing.T) {
	none := []float64{math.Inf(-1), math.Inf(-1)}
	x, y := []float64{0, 1, 2, 3}, []float64{1, 2.9, 5.1, 7}
	p, sum, cov, ok := LeastSquares(line(x, y), []float64{0, 0}, none, len(x))
	// By hand: b = Σ(x−1.5)(y−4)/5 = 2.02, a = 4 − 1.5·2.02 = 0.97, Σr² = 0.018.
	if !ok || math.Abs(p[1]-2.02) > 1e-9 || math.Abs(p[0]-0.97) > 1e-9 || math.Abs(sum-0.018) > 1e-9 {
		t.Errorf("a, b = %v, sum %g, ok %v", p, sum, ok)
	}
	if math.Abs(cov[1][1]-0.2) > 1e-9 || math.Abs(cov[0][0]-0.7) > 1e-9 || math.Abs(cov[0][1]+0.3) > 1e-9 {
		t.Errorf("covariance %v", cov)
	}
}

func TestLeastSquaresHoldsItsBounds(t *testing.T) {
	x, y := []float64{0, 1, 2, 3}, []float64{7, 5.1, 2.9, 1}
	p, _, cov, ok := LeastSquares(line(x, y), []float64{0, 1}, []float64{math.Inf(-1), 0}, len(x))
	if !ok || p[1] != 0 || math.Abs(p[0]-4) > 1e-9 || cov[1][1] != 0 {
		t.Errorf("a, b = %v, covariance %v, ok %v", p, cov, ok)
	}
}

func TestLeastSquaresSaysWhatIsOpen(t *testing.T) {
	x, y := []float64{2, 2, 2}, []float64{1, 2, 3}
	if _, _, _, ok := LeastSquares(line(x, y), []float64{0, 0}, []float64{math.Inf(-1), math.Inf(-1)}, len(x)); ok {
		t.Error("a line through one place is taken for known")
	}
}

// For a nonlinear curve, the variation of the estimates must match the covariance.
func TestLeastSquaresCovariance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x := []float64{0, 0.5, 1, 1.5, 2, 3, 4, 5}
	var rates []float64
	said := 0.0
	for range 2000 {
		y := make([]float64, len(x))
		for i := range x {
			y[i] = 10*math.Exp(-0.7*x[i]) + 0.05*r.NormFloat64()
		}
		p, _, cov, ok := LeastSquares(func(p, residuals []float64, jacobian [][]float64) {
			for i := range x {
				e := math.Exp(-p[1] * x[i])
				residuals[i] = p[0]*e - y[i]
				jacobian[i][0], jacobian[i][1] = e, -p[0]*x[i]*e
			}
		}, []float64{1, 0.1}, []float64{0, 0}, len(x))
		if !ok {
			t.Fatal("not solved")
		}
		rates = append(rates, p[1])
		said += 0.05 * math.Sqrt(cov[1][1]) / 2000
	}
	if m, s := Mean(rates), StdDev(rates); math.Abs(m-0.7) > 0.001 || math.Abs(s/said-1) > 0.08 {
		t.Errorf("mean %.4f, spread %.5f, said %.5f", m, s, said)
	}
}
