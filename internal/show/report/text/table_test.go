package text

import (
	"slices"
	"strings"
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

// Rows that would look the same in a narrow terminal have their names on lines of their own.
func TestRowsStayApartInANarrowTable(t *testing.T) {
	names := []string{"rand-read-iops", "rand-read-lat", "seq-read-bw"}
	columns := func(names []string) []*column {
		first, value := &column{title: "workload"}, &column{title: "result", numeric: true}
		for _, name := range names {
			first.cells = append(first.cells, cell{text: name})
			value.cells = append(value.cells, cell{text: strings.Repeat("9", 30)})
		}
		return []*column{first, value}
	}
	p := newPage(Options{Width: 40})
	p.table(columns(names))
	for _, name := range names {
		if !strings.Contains(p.out.String(), "\n"+name+"\n") {
			t.Errorf("%s has no line of its own:\n%s", name, p.out.String())
		}
	}
	p = newPage(Options{Width: 40})
	p.table(columns(names[1:]))
	if !strings.Contains(p.out.String(), "rand-rea~ 999") {
		t.Errorf("they are told apart by their beginnings:\n%s", p.out.String())
	}
}

// A path that is to be copied is not broken.
func TestAPathIsNotBroken(t *testing.T) {
	long := "/var/lib/" + strings.Repeat("results-of-measurements/", 4)
	p := newPage(Options{Width: 80})
	p.saved(long, Options{})
	p.saved("/results/run", Options{})
	if got, want := p.out.String(), "saved\n"+long+"\n        report.html\nsaved   /results/run/   report.html\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
