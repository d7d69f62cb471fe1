package flagtable

import (
	"slices"
	"testing"
)

// A flag has one line, in a group that the help shows or in none.
func TestEachFlagStandsOnce(t *testing.T) {
	if len(lines) != len(table) {
		t.Errorf("%d flags in %d lines: one stands twice", len(lines), len(table))
	}
	for _, f := range table {
		if f.Group != Internal && !slices.Contains(Groups(), f.Group) {
			t.Errorf("--%s is in the group %q, which the help does not show", f.Name, f.Group)
		}
		if !slices.Contains(In(f.Group), f.Name) {
			t.Errorf("--%s is not in its group", f.Name)
		}
	}
}
