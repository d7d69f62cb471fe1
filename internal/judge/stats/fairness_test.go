package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestFairnessLiesBetweenOneForAllAndOneForEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 50).Draw(t, "x")
		x[0]++
		n := float64(len(x))
		f := Fairness(x)
		if f < 1/n-1e-9 || f > 1+1e-9 {
			t.Fatalf("%g of %v", f, x)
		}
		same := make([]float64, len(x))
		one := make([]float64, len(x))
		one[0] = x[0]
		for i := range same {
			same[i] = x[0]
		}
		if math.Abs(Fairness(same)-1) > 1e-9 || math.Abs(Fairness(one)-1/n) > 1e-9 {
			t.Fatalf("equal shares give %g, a single winner %g", Fairness(same), Fairness(one))
		}
	})
	if Fairness([]float64{0, 0}) != 0 {
		t.Error("nothing is shared fairly")
	}
}
