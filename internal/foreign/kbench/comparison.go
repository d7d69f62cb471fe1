package kbench

import (
	"fmt"
	"strings"
)

// columns of a comparison: name, A, "vs", B, ":", change.
const columns = "%15s%25s%5s%25s%5s%20s\n"

// comparison returns Kbench's summary of a comparison, to the byte, including its spelling. A change is
// (B − A) / A, computed from the numbers as shown.
func comparison(pair [2]Request, a, b Values) string {
	var out strings.Builder
	mode := "Quick Mode: disabled"
	if pair[0].Mode == quick {
		mode = "Quick Mode: enabled"
	}
	head(&out, "================================", "FIO Benchmark Comparsion Summary",
		"For: "+pair[0].Prefix+" vs "+pair[1].Prefix, pair[0], mode)
	fmt.Fprintf(&out, columns, "", pair[0].Prefix, "vs", pair[1].Prefix, ":", "Change")
	for _, aspect := range aspects {
		out.WriteString(aspect.title + "\n")
		for _, row := range rows {
			fmt.Fprintf(&out, columns, row.label, a.both(row.access, aspect.suffix), "vs", b.both(row.access, aspect.suffix), ":",
				change(a, b, row.access+"-read-"+aspect.suffix)+" / "+change(a, b, row.access+"-write-"+aspect.suffix))
		}
		if pair[0].IdleProfile {
			fmt.Fprintf(&out, columns, "CPU Idleness:", a.idle(aspect.name), "vs", b.idle(aspect.name), ":", idleChange(a, b, aspect.name))
		}
		out.WriteByte('\n')
	}
	out.WriteByte('\n')
	return out.String()
}

// change returns the change of B's number relative to A's in percent.
func change(a, b Values, job string) string {
	before, measuredA := a.whole(job)
	after, measuredB := b.whole(job)
	if !measuredA || !measuredB || before == 0 {
		return notMeasured
	}
	return fmt.Sprintf("%.2f%%", float64((after-before)*100)/float64(before))
}

// idleChange returns the difference of two percentages in percentage points.
func idleChange(a, b Values, aspect Aspect) string {
	before, measuredA := a.Idle[aspect]
	after, measuredB := b.Idle[aspect]
	if !measuredA || !measuredB {
		return notMeasured
	}
	return fmt.Sprintf("%d%%", int64(after)-int64(before))
}
