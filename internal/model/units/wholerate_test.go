package units

import (
	"math"
	"testing"
)

func TestWholeRates(t *testing.T) {
	for v, want := range map[float64]string{
		0: "", 1: "", 7: "", 1e9: "", 0.2: "1", -3: "1", 7.6: "7 or 8", 1.5: "1 or 2", 999999.25: "999999 or 1000000",
		1e9 + 0.5: "1000000000", 1e300: "1000000000", math.Inf(1): "1000000000",
	} {
		if instead, ok := WholeRate(v); instead != want || ok != (want == "") {
			t.Errorf("%g: %q, %v; want %q", v, instead, ok, want)
		}
	}
	if _, ok := WholeRate(math.NaN()); ok {
		t.Error("NaN is a rate")
	}
}
