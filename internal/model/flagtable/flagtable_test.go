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

// What a line says of other flags is said of flags that stand in the table.
func TestALineNamesKnownFlags(t *testing.T) {
	for _, f := range table {
		for _, other := range slices.Concat(f.Replaces, f.YieldsTo, f.Needs) {
			if _, known := Lookup(other); !known || other == f.Name {
				t.Errorf("the line of --%s names --%s", f.Name, other)
			}
		}
	}
}

// A property is that of a flag with exactly this name.
func TestPropertiesOfUnknownFlags(t *testing.T) {
	if Is("", Display) || Is("size=1", Placement) || Is("no-such", Display) || !Is("output", Display) || Is("output", Display|Placement) {
		t.Error("a flag has properties of another one")
	}
}
