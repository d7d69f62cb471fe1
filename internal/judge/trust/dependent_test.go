package trust

import (
	"math"
	"math/rand/v2"
	"testing"
)

// wandering is a series of repeats of three seconds with pauses of 0.7 s, whose noise of 6 % has an
// autocorrelation of phi from one second to the next, and which changes by a factor at a repeat.
func wandering(r *rand.Rand, repeats int, phi, factor float64, at int) *series {
	s := &series{workload: "w", repeats: repeats}
	noise, clock := r.NormFloat64(), 0.0
	move := func(seconds float64) {
		keep := math.Pow(phi, seconds)
		noise = keep*noise + math.Sqrt(1-keep*keep)*r.NormFloat64()
	}
	for v := range repeats {
		clock += 0.7
		move(0.7)
		for range 3 {
			clock++
			move(1)
			rate := 1000 * (1 + 0.06*noise)
			if v >= at {
				rate *= factor
			}
			s.rate, s.repeat = append(s.rate, rate), append(s.repeat, v)
			s.begin, s.end = append(s.begin, clock-1), append(s.end, clock)
		}
	}
	return s
}

// A workload that is measured alone has its repeats close together. Noise that drifts over many of them
// is not a change of level. A change is found in uncorrelated noise, and a larger one in correlated
// noise.
func TestWanderingNoiseIsNoChangeOfLevel(t *testing.T) {
	for _, c := range []struct {
		name        string
		repeats     int
		phi, factor float64
		least, most int // of 100 series in which a change is found
	}{
		{"no change, noise of 20 s", 60, 0.95, 1, 0, 3},
		{"no change, independent noise", 60, 0, 1, 0, 1},
		{"12 % less, independent noise", 60, 0, 0.88, 99, 100},
		{"30 % less in the middle of eight repeats", 8, 0, 0.7, 80, 100},
		{"a third less, noise of 3 s", 60, 0.7, 0.67, 99, 100},
	} {
		found := 0
		for seed := range uint64(100) {
			if wandering(rand.New(rand.NewPCG(seed, 7)), c.repeats, c.phi, c.factor, c.repeats/2).steps().kind > steady {
				found++
			}
		}
		if found < c.least || found > c.most {
			t.Errorf("%s: a change in %d of 100, want %d to %d", c.name, found, c.least, c.most)
		}
	}
}
