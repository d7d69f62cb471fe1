package text

import (
	"slices"
	"testing"
)

// An interval beside another column's value would be read as the interval of that value.
func TestAnIntervalIsOnlyShownWithItsValue(t *testing.T) {
	a := &column{title: "A", drop: 3, cells: []cell{{text: "1234567890"}}}
	halfA := &column{title: "CI", drop: 2, of: a, cells: []cell{{text: "12"}}}
	b := &column{title: "B", cells: []cell{{text: "12"}}}
	all := []*column{{title: "name", cells: []cell{{text: "abc"}}}, a, halfA, b}
	for width := range total(all) + 1 {
		kept := fit(all, width)
		if slices.Contains(kept, halfA) && !slices.Contains(kept, a) {
			t.Errorf("at %d columns, the interval is shown without its value", width)
		}
	}
	if kept := fit(all, total(all)-1); !slices.Contains(kept, a) || slices.Contains(kept, halfA) {
		t.Error("where one column has to go, it is not the interval")
	}
}
