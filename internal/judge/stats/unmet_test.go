package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// spiky is the only repeat of a workload whose seconds are slow with a probability, then at a level relative to the others.
func spiky(r *rand.Rand, seconds int, often, level float64) []Repeat {
	y := make([]float64, seconds)
	for i := range y {
		y[i] = 1 + 0.01*r.NormFloat64()
		if r.Float64() < often {
			y[i] *= level
		}
	}
	return []Repeat{{Value: Mean(y), Seconds: y}}
}

// In 20 s a workload may meet none of the slow seconds that the storage has; the others of the run know of them.
func TestWhatOnlyOthersMetWidensAnInterval(t *testing.T) {
	for _, kind := range []struct{ often, level float64 }{{0.03, 0.5}, {0.05, 0.3}, {0.1, 0.5}, {0.1, 0.2}, {0, 1}} {
		r := rand.New(rand.NewPCG(20, uint64(1000*kind.often)))
		truth := 1 - kind.often*(1-kind.level)
		covered, alone, n := 0, 0, 0
		for range 200 {
			var list [][]Repeat
			for range 6 {
				list = append(list, spiky(r, 20, kind.often, kind.level))
			}
			model := NewRepeatModel(list)
			for i, v := range list {
				own := Series(v[0].Seconds, 1)
				n++
				if math.Abs(v[0].Value-truth) <= own {
					alone++
				}
				if math.Abs(v[0].Value-truth) <= math.Hypot(own, model.Unmet(i)) {
					covered++
				}
			}
		}
		if share := float64(covered) / float64(n); share < 0.93 {
			t.Errorf("%+v: %.3f of the intervals contain the true mean", kind, share)
		}
		if kind.often >= 0.1 && float64(alone)/float64(n) > 0.93 {
			t.Errorf("%+v: the seconds of each workload alone cover %d of %d: this test shows nothing", kind, alone, n)
		}
		if kind.often == 0 && covered != alone {
			t.Errorf("without slow seconds, %d instead of %d intervals contain the true mean", covered, alone)
		}
	}
}

// A workload that has no slow seconds, or others that have none, borrows nothing.
func TestSlowSecondsOfOthersMayNotBeItsOwn(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 20))
	calm := func(seconds int) []Repeat { return spiky(r, seconds, 0, 1) }
	often := func() []Repeat { return spiky(r, 60, 0.3, 0.5) }
	if u := NewRepeatModel([][]Repeat{calm(60), often(), often(), often()}).Unmet(0); u != 0 {
		t.Errorf("a minute without what the others have in a third of theirs: ±%.3f", u)
	}
	if u := NewRepeatModel([][]Repeat{calm(20), calm(20)}).Unmet(0); u != 0 {
		t.Errorf("nothing was slow: ±%.3f", u)
	}
	fell := calm(20)
	for i := range 4 {
		fell[0].Seconds[16+i] /= 2
	}
	if u := NewRepeatModel([][]Repeat{calm(20), fell, calm(20)}).Unmet(0); u == 0 {
		t.Error("another workload had four slow seconds, and that widens nothing")
	}
	fell[0].Moved = true
	if u := NewRepeatModel([][]Repeat{calm(20), fell, calm(20)}).Unmet(0); u != 0 {
		t.Errorf("another workload fell, which is not seconds that were slow: ±%.3f", u)
	}
	if u := NewRepeatModel([][]Repeat{calm(20), fell, often()}).Unmet(1); u != 0 {
		t.Errorf("one that fell has no slow seconds to compare: ±%.3f", u)
	}
}
