package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// pieced is a series of pieces of given lengths and levels, with noise.
func pieced(r *rand.Rand, cv float64, pieces ...[2]float64) []float64 {
	var y []float64
	for _, p := range pieces {
		for range int(p[0]) {
			y = append(y, p[1]*(1+cv*r.NormFloat64()))
		}
	}
	return y
}

func TestTheLevelEndOfAStretch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name        string
		y           []float64
		from        int
		mean, least float64
		fell        bool
	}{
		{"level throughout", pieced(r, .001, [2]float64{20, 500}), 5, 500, .01, false},
		{"noisy", pieced(r, .2, [2]float64{20, 500}), 5, 500, .25, false},
		{"a credit of eight seconds", pieced(r, .001, [2]float64{8, 2000}, [2]float64{12, 500}), 8, 500, .01, true},
		{"with a second between", pieced(r, .001, [2]float64{8, 2000}, [2]float64{1, 1200}, [2]float64{11, 500}), 9, 500, .01, true},
		{"a second", pieced(r, .001, [2]float64{1, 2000}, [2]float64{19, 500}), 5, 500, .01, true},
		{"shortly before the end", pieced(r, .001, [2]float64{17, 2000}, [2]float64{3, 500}), 17, 500, .01, true},
		{"ten seconds", pieced(r, .001, [2]float64{3, 2000}, [2]float64{7, 500}), 3, 500, .01, true},
		{"a rise", pieced(r, .001, [2]float64{8, 500}, [2]float64{12, 2000}), 8, 2000, .01, false},
		{"a fall by 5 %", pieced(r, .001, [2]float64{8, 525}, [2]float64{12, 500}), 8, 500, .01, false},
	} {
		s := Level(c.y)
		if s.From != c.from || math.Abs(s.Mean/c.mean-1) > c.least || s.Fell != c.fell {
			t.Errorf("%s: %+v, want from %d, mean %g, fell %v", c.name, s, c.from, c.mean, c.fell)
		}
	}
}

// Stretches on constant storage are found lower than its repeats in less than one in three hundred
// cases, and those on storage with a quarter of that sustained rate always.
func TestBelowIsNoNoise(t *testing.T) {
	const runs = 3000
	for _, noise := range []struct{ repeat, second float64 }{{.001, .002}, {.03, .01}, {.06, .01}, {.01, .1}, {.1, .2}} {
		r := rand.New(rand.NewPCG(3, 4))
		found := func(share float64) int {
			n := 0
			for range runs {
				all, own := &Pool{}, []float64{}
				for range 6 {
					var repeats []float64
					for range 2 {
						repeats = append(repeats, Mean(pieced(r, noise.second, [2]float64{3, 1000 * (1 + noise.repeat*r.NormFloat64())})))
					}
					all.Add(repeats)
					own = repeats
				}
				look := pieced(r, noise.second, [2]float64{20, share * 1000 * (1 + noise.repeat*r.NormFloat64())})
				s := Level(look)
				if s.Below(look[s.From:], own, all, all, 3, .07) {
					n++
				}
			}
			return n
		}
		if n := found(1); n > runs/300 {
			t.Errorf("%+v: %d of %d stretches at the same level are called lower", noise, n, runs)
		}
		if n := found(.25); noise.repeat < .1 && n < runs*99/100 {
			t.Errorf("%+v: %d of %d stretches at a quarter are called lower", noise, n, runs)
		}
	}
}
