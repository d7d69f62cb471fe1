package kbench

import (
	"fmt"
	"strconv"
	"strings"
)

// Summary returns Kbench's summary, to the byte. What was not measured is shown as a dash.
func Summary(r Request, v Values) string {
	var b strings.Builder
	head(&b, "=========================", "FIO Benchmark Summary", "For: "+r.Prefix, r, "Mode: "+r.Mode)
	for _, a := range aspects {
		b.WriteString(a.title + "\n")
		for _, row := range rows {
			fmt.Fprintf(&b, "%15s%25s\n", row.label, v.both(row.access, a.suffix))
		}
		if r.IdleProfile {
			fmt.Fprintf(&b, "%15s%25s\n", "CPU Idleness:", v.idle(a.name))
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.String()
}

// rows are the two lines of each block.
var rows = []struct{ label, access string }{{"Random:", "rand"}, {"Sequential:", "seq"}}

// head writes the text above the numbers.
func head(b *strings.Builder, rule, title, about string, r Request, mode string) {
	profiling := "disabled"
	if r.IdleProfile {
		profiling = "enabled"
	}
	for _, line := range []string{"", rule, title, about, "CPU Idleness Profiling: " + profiling, "Size: " + r.SizeText, mode, rule} {
		b.WriteString(line + "\n")
	}
}

// notMeasured replaces a number that does not exist.
const notMeasured = "-"

// both returns "reads / writes".
func (v Values) both(access, suffix string) string {
	number := func(direction string) string {
		n, ok := v.whole(access + "-" + direction + "-" + suffix)
		if !ok {
			return notMeasured
		}
		return commas(n)
	}
	return number("read") + " / " + number("write")
}

// whole returns a job's number truncated to an integer, as Kbench truncates it.
func (v Values) whole(job string) (int64, bool) {
	n, ok := v.Jobs[job]
	return int64(n), ok
}

// idle returns the CPU's idleness as a whole percentage.
func (v Values) idle(a Aspect) string {
	n, ok := v.Idle[a]
	if !ok {
		return notMeasured
	}
	return strconv.FormatInt(int64(n), 10) + "%"
}

// commas formats a number with thousands separators.
func commas(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
