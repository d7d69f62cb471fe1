package stats

import (
	"math/rand/v2"
	"testing"
)

// Noise that wanders, up to a random walk, is no trend, and a fall that goes on for a part of the series is one.
func TestWalkTellsATrendFromWandering(t *testing.T) {
	const trials = 2000
	series := func(r *rand.Rand, n int, phi, sd float64) []float64 {
		y := make([]float64, n)
		level := 0.0
		for i := range y {
			level = phi*level + sd*r.NormFloat64()
			y[i] = 100 + level
		}
		return y
	}
	r := rand.New(rand.NewPCG(3, 9))
	for _, n := range []int{40, 90, 300} {
		for _, phi := range []float64{0, 0.8, 0.95, 1} {
			found := 0
			for range trials {
				if _, low, high := Walk(series(r, n, phi, 1), 0.01); low*high > 0 {
					found++
				}
			}
			// A random walk is the worst case, at one in a hundred, and chance may add a half.
			if found > trials*3/200 {
				t.Errorf("%d values, correlation %g: %d of %d have a trend", n, phi, found, trials)
			}
		}
		for _, part := range []float64{0.5, 0.7, 1} {
			if n*int(10*part) < 400 {
				continue // the fall is in too few blocks
			}
			found := 0
			for range trials / 10 {
				y := series(r, n, 0, 1)
				for i := range y {
					y[i] -= 50 * min(1, float64(i)/(part*float64(n)))
				}
				if _, low, high := Walk(y, 0.001); high < 0 && low < 0 {
					found++
				}
			}
			if found < trials/10*9/10 {
				t.Errorf("%d values: a fall over %.0f %% of them is found in %d of %d", n, 100*part, found, trials/10)
			}
		}
	}
	if _, low, high := Walk(make([]float64, 20), 0.001); low*high != low*high || low > 0 || high < 0 {
		t.Errorf("too few values: %g to %g", low, high)
	}
}
