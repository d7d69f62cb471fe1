package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/units"
)

// Compare compares the budgets of two runs: those of workloads with the same name or, if there are
// none, those of the same operation with as many in flight, if each side has exactly one.
func Compare(a, b *budget.Side) []budget.Comparison {
	list := []budget.Comparison{}
	for _, p := range pairs(a, b) {
		list = append(list, compare(p[0], p[1]))
	}
	return list
}

func pairs(a, b *budget.Side) (found [][2]*budget.Budget) {
	for i := range a.Budgets {
		for j := range b.Budgets {
			if a.Budgets[i].Workload == b.Budgets[j].Workload {
				found = append(found, [2]*budget.Budget{&a.Budgets[i], &b.Budgets[j]})
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	alike := func(side *budget.Side, to *budget.Budget) (match *budget.Budget) {
		for i := range side.Budgets {
			x := &side.Budgets[i]
			if x.Operation != to.Operation || x.InFlight != to.InFlight || connects(x) != connects(to) {
				continue
			}
			if match != nil {
				return nil
			}
			match = x
		}
		return match
	}
	for i := range a.Budgets {
		x := &a.Budgets[i]
		if y := alike(b, x); y != nil && alike(a, y) == x {
			found = append(found, [2]*budget.Budget{x, y})
		}
	}
	return found
}

// connects reports whether operations open connections.
func connects(b *budget.Budget) bool {
	_, ok := b.Row(budget.Connect)
	return ok
}

// compare compares two budgets.
func compare(a, b *budget.Budget) budget.Comparison {
	c := budget.Comparison{A: a.Workload, B: b.Workload, Ratio: b.Seen / a.Seen, Changes: []budget.Change{}}
	for _, p := range budget.Parts {
		x, inA := rowOf(a, p)
		y, inB := rowOf(b, p)
		if !inA && !inB {
			continue
		}
		change := budget.Change{Part: p, Name: y.Name, Of: y.Seconds / a.Seen}
		if !inB {
			change.Name = x.Name
		}
		if inA {
			change.A = &x.Seconds
		}
		if inB {
			change.B = &y.Seconds
		}
		c.Changes = append(c.Changes, change)
	}
	c.DifferentCounts = differentCounts(a, b)
	c.Equal = equal(a, b)
	c.Says = says(a, b, &c)
	return c
}

// rowOf is the row of a part; several rows of one part, such as a flush whose device time is known
// separately, are combined, because the other side may have only their sum.
func rowOf(b *budget.Budget, p budget.Part) (row budget.Row, ok bool) {
	if p == budget.Residual {
		return b.Residual, true
	}
	for _, r := range b.Rows {
		switch {
		case r.Part != p:
			continue
		case !ok:
			row, ok = r, true
		default:
			row.Seconds, row.Share = row.Seconds+r.Seconds, row.Share+r.Share
			row.Name, _, _ = strings.Cut(row.Name, partOf)
		}
	}
	return row, ok
}

// differentBy is the share by which the counts of two operations have to differ for the operations to do
// different work (as in the rule different-transactions); fewest is the count below which they are not
// compared.
const (
	differentBy = 0.25
	fewest      = 0.05
	// deviceCounts is part of the names of the devices' counts.
	deviceCounts = "device "
)

// differentCounts are the counts in which the operations differ.
func differentCounts(a, b *budget.Budget) (list []budget.CountDifference) {
	for _, x := range a.Counts {
		y, ok := b.Count(x.Name)
		large := max(x.Value, y)
		// A device's counts include all of its users.
		if !ok || strings.Contains(x.Name, deviceCounts) || x.Unit == "1" && large < fewest || large == 0 || math.Abs(x.Value-y) <= differentBy*min(x.Value, y) {
			continue
		}
		list = append(list, budget.CountDifference{Name: x.Name, Unit: x.Unit, A: x.Value, B: y})
	}
	return list
}

// equal computes the time of an operation of B with as many I/Os as one of A makes, each as long as in
// B, and the rest unchanged: L = n·t + rest. If B's I/Os take longer than its total time, its rest is
// unknown, and A's is used.
func equal(a, b *budget.Budget) *budget.Equal {
	n, okA := a.Count(ioCount)
	m, okB := b.Count(ioCount)
	row, ok := b.Row(budget.BlockIO)
	if !okA || !okB || !ok || m <= 0 || math.Abs(n-m) <= differentBy*min(n, m) {
		return nil
	}
	each, rest, whose := row.Seconds/m, b.Residual.Seconds, "what is left over of B stays what it is"
	if rest < 0 {
		rest, whose = max(0, a.Residual.Seconds), "what is left over is as long as in A, since in B nothing is"
	}
	seconds := n*each + rest
	return &budget.Equal{Count: ioCount, Each: n, Seconds: seconds, Rate: b.InFlight / seconds, Law: "L = n·t + rest",
		Assumes: []string{"an I/O of B takes " + microseconds(each) + " as before", whose + " (" + units.FormatDuration(rest) + ")"}}
}

// least is the smallest part of a ratio that is mentioned.
const least = 0.1

// says are the sentences of a comparison.
func says(a, b *budget.Budget, c *budget.Comparison) (list []string) {
	what := fmt.Sprintf("a %s of B takes %s times as long as one of A (%s, %s)", b.Operation, few(c.Ratio), units.FormatDuration(b.Seen), units.FormatDuration(a.Seen))
	if parts := largest(c); len(parts) > 0 && a.Closes() && b.Closes() {
		what += fmt.Sprintf("; of these %s, %s", few(c.Ratio), strings.Join(parts, ", "))
	}
	list = append(list, what)
	for _, x := range []struct {
		name string
		of   *budget.Budget
	}{{"A", a}, {"B", b}} {
		if !x.of.Closes() {
			list = append(list, fmt.Sprintf("the budget of %s does not close: %s", x.name, x.of.Refused))
		}
	}
	if sampled := bySamples(a); sampled != bySamples(b) && a.Operation == b.Operation {
		which, other := "A", "B"
		if !sampled {
			which, other = other, which
		}
		list = append(list, fmt.Sprintf("waits were sampled in %s only, so rows with the same name differ in meaning: in %s, waits are part of its flush rows or of what is left over", which, other))
	}
	if len(c.DifferentCounts) > 0 {
		var counts []string
		for _, u := range c.DifferentCounts {
			counts = append(counts, fmt.Sprintf("%s %s against %s", u.Name, quantity(u.Unit, u.A), quantity(u.Unit, u.B)))
		}
		list = append(list, fmt.Sprintf("not like for like: for each %s (A against B) %s", b.Operation, strings.Join(counts, ", ")))
	}
	list = append(list, amplified(a, b)...)
	if e := c.Equal; e != nil {
		list = append(list, fmt.Sprintf("with A's %s %s a %s of B would take %s, so it would do %s and not %s", few(e.Each), e.Count, b.Operation, units.FormatDuration(e.Seconds), b.FormatRate(e.Rate), b.FormatRate(b.Rate)))
	}
	return list
}

// amplified says how many I/Os the disks behind both volumes did for an operation, where that was counted
// on both sides: the device's row of a budget is then not the same work.
func amplified(a, b *budget.Budget) (list []string) {
	for i := range a.Amplification {
		x := &a.Amplification[i]
		k := slices.IndexFunc(b.Amplification, func(y amplification.Ratio) bool {
			return y.Direction == x.Direction && y.Operation == x.Operation && y.NotCounted == ""
		})
		if k < 0 || x.NotCounted != "" {
			continue
		}
		y := &b.Amplification[k]
		list = append(list, x.Against(y))
	}
	return list
}

// quantity formats a count.
func quantity(unit string, v float64) string {
	switch unit {
	case "B":
		return units.FormatSize(int64(v))
	case "s":
		return units.FormatDuration(v)
	}
	return few(v)
}

// largest are the parts of a ratio, the largest first: "1.9 are flush of the WAL (0.3 in A)".
func largest(c *budget.Comparison) (parts []string) {
	changes := slices.Clone(c.Changes)
	slices.SortStableFunc(changes, func(x, y budget.Change) int { return -cmp.Compare(x.Of, y.Of) })
	for _, x := range changes {
		if x.Of < least*c.Ratio || x.B == nil {
			continue
		}
		was := "none in A"
		if x.A != nil && x.Of > 0 {
			was = few(x.Of**x.A / *x.B) + " in A"
		}
		name := x.Name
		if x.Part == budget.Residual {
			name = "left over (" + name + ")"
		}
		parts = append(parts, fmt.Sprintf("%s are %s (%s)", few(x.Of), name, was))
	}
	return parts
}
