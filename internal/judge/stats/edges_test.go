package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A start or an end that lies far from the rest is found where it begins, and nothing is found in what
// a device does without a change of level.
func TestEdges(t *testing.T) {
	series := func(rate func(i int) float64) []float64 {
		y := make([]float64, 20)
		for i := range y {
			y[i] = 1000 * rate(i) * (1 + 0.02*math.Sin(float64(i*i)))
		}
		return y
	}
	step := func(at int, level float64) func(i int) float64 {
		return func(i int) float64 {
			if i < at {
				return level
			}
			return 1
		}
	}
	for name, c := range map[string]struct {
		y                []float64
		slow, rise, fast int
	}{
		"level":                    {series(step(0, 1)), 0, 0, 0},
		"one slow second":          {series(step(1, 0.5)), 0, 0, 0},
		"two slow seconds":         {series(step(2, 0.5)), 2, 0, 0},
		"two, slower by a fifth":   {series(step(2, 0.8)), 0, 0, 0},
		"half of it":               {series(step(10, 0.5)), 10, 0, 0},
		"a rise in the last two":   {series(step(18, 0.5)), 0, 18, 0},
		"a rise in the last one":   {series(step(19, 0.5)), 0, 0, 0},
		"a rise of a fifth":        {series(step(18, 0.8)), 0, 0, 0},
		"a climb":                  {series(func(i int) float64 { return 1 - 0.9*math.Exp(-float64(i)/3) }), 7, 0, 0},
		"a fast start":             {series(step(2, 2)), 0, 0, 2},
		"one fast second":          {series(step(1, 2)), 0, 0, 1},
		"a fast quarter":           {series(step(5, 1.5)), 0, 0, 5},
		"a fast half":              {series(step(10, 2)), 0, 0, 0},
		"two, faster by a fifth":   {series(step(2, 1.2)), 0, 0, 0},
		"a fall in the last three": {series(step(17, 2)), 0, 0, 0},
		"too short":                {[]float64{1, 2, 2}, 0, 0, 0},
		"nothing":                  {nil, 0, 0, 0},
	} {
		if slow, rise, fast := SlowStart(c.y), LateRise(c.y), FastStart(c.y); slow != c.slow || rise != c.rise || fast != c.fast {
			t.Errorf("%s: a slow start of %d s, a rise at %d and a fast start of %d s, want %d, %d and %d: %.0f", name, slow, rise, fast, c.slow, c.rise, c.fast, c.y)
		}
	}
}

// Noise, also where neighbours are alike, is neither: at most one series of a thousand.
func TestEdgesOfNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, noise := range []struct{ cv, phi float64 }{{0.01, 0}, {0.03, 0.8}, {0.06, 0.95}, {0.1, 0}, {0.1, 0.8}} {
		slow, rise, fast := 0, 0, 0
		for range 4000 {
			y, x := make([]float64, 20), r.NormFloat64()
			for i := range y {
				x = noise.phi*x + math.Sqrt(1-noise.phi*noise.phi)*r.NormFloat64()
				y[i] = 1000 * (1 + noise.cv*x)
			}
			if SlowStart(y) > 0 {
				slow++
			}
			if LateRise(y) > 0 {
				rise++
			}
			if FastStart(y) > 0 {
				fast++
			}
		}
		if slow > 4 || rise > 4 || fast > 4 {
			t.Errorf("%+v: %d slow starts, %d rises and %d fast starts in 4000 series", noise, slow, rise, fast)
		}
	}
}
