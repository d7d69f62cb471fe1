package open

import (
	"math"
	"testing"
)

func TestHoldsCountFromAMoment(t *testing.T) {
	var h holds
	for _, s := range []hold{{1, 2}, {2.00001, 3}, {4, 5}} {
		h.add(s.from, s.to)
	}
	if len(h.spans) != 2 {
		t.Errorf("%d holds, want the first two as one", len(h.spans))
	}
	for _, c := range []struct{ moment, want float64 }{{0, 3}, {1, 3}, {1.5, 2.5}, {3, 1}, {3.5, 1}, {4.75, .25}, {5, 0}, {6, 0}} {
		if got := h.since(c.moment); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("since %g: %g, want %g", c.moment, got, c.want)
		}
	}
	if len(h.spans) != 0 {
		t.Errorf("%d holds are left of the past", len(h.spans))
	}
}
