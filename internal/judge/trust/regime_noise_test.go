package trust

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noisy is an unbroken series of autocorrelated noise of that relative size, whose level changes by a share
// from second at on.
func noisy(r *rand.Rand, seconds int, cv, phi, change float64, at int) *series {
	s := &series{repeats: 1}
	ar := r.NormFloat64()
	for i := range seconds {
		ar = phi*ar + math.Sqrt(1-phi*phi)*r.NormFloat64()
		level := 20000.0
		if i >= at {
			level *= 1 + change
		}
		s.rate, s.repeat = append(s.rate, level*(1+cv*ar)), append(s.repeat, 0)
		s.begin, s.end = append(s.begin, float64(i)), append(s.end, float64(i+1))
	}
	return s
}

// Noise whose neighbouring seconds are correlated wanders, and that is neither a change of level nor a drift.
func TestWanderingNoiseIsSteady(t *testing.T) {
	for _, c := range []struct {
		cv, phi float64
		most    float64
	}{{0.03, 0.8, 0.002}, {0.03, 0.95, 0.01}, {0.06, 0.8, 0.01}, {0.06, 0.9, 0.015}, {0.06, 0.95, 0.015}} {
		for _, seconds := range []int{20, 60, 120, 300} {
			r := rand.New(rand.NewPCG(uint64(seconds), 14))
			flagged := map[kind]int{}
			trials, sum := min(1500, 180_000/seconds), 0
			for range trials {
				if k := noisy(r, seconds, c.cv, c.phi, 0, seconds).regime().kind; k > steady {
					flagged[k]++
					sum++
				}
			}
			if share := float64(sum) / float64(trials); share > c.most {
				t.Errorf("%+v, %d s: %.2f %% are said to change, %v", c, seconds, 100*share, flagged)
			}
		}
	}
}

// A change of level within a second is found in noise of all these kinds.
func TestAnAbruptChangeIsFound(t *testing.T) {
	for _, c := range []struct{ cv, phi, change float64 }{
		{0.03, 0, -0.12}, {0.06, 0, -0.2}, {0.06, 0, 0.25}, {0.03, 0.5, -0.2}, {0.06, 0.5, -0.3}, {0.03, 0.8, -0.3}, {0.06, 0.8, -0.5},
	} {
		r := rand.New(rand.NewPCG(27, 14))
		found := 0
		const trials = 500
		for range trials {
			if noisy(r, 60, c.cv, c.phi, c.change, 20+r.IntN(20)).regime().kind > steady {
				found++
			}
		}
		if share := float64(found) / trials; share < 0.93 {
			t.Errorf("%+v: found in %.1f %%", c, 100*share)
		}
	}
}

// Storage that falls over several seconds, as a cache does that fills up, falls as well.
func TestAGradualFallIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 14))
	for _, cv := range []float64{0, 0.02, 0.06} {
		for _, over := range []int{1, 3, 5, 8} {
			const trials, at = 200, 22
			found := 0
			for range trials {
				s := noisy(r, 60, cv, 0, 0, 60)
				for i := range s.rate {
					s.rate[i] *= 1 - 0.75*math.Min(1, math.Max(0, float64(i-at)/float64(over)))
				}
				if k := s.regime().kind; k > steady {
					found++
				}
			}
			if share := float64(found) / trials; share < 0.98 {
				t.Errorf("to a quarter over %d s, noise of %.0f %%: found in %.0f %%", over, 100*cv, 100*share)
			}
		}
	}
}
