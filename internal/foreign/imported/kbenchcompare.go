package imported

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var formatKbenchComparison = Format{
	Name:    "kbench-compare",
	Title:   "Kbench's comparison summary",
	Example: "FIO Benchmark Comparsion Summary … Random: 89,777 / 83,867  vs  14,212 / 18,553  : -84.17% / -77.88%",
	words:   []string{"Comparsion Summary", "Comparison Summary", "  vs  "},
	read:    traceComparison,
	split:   splitComparison,
}

var (
	versusHead = regexp.MustCompile(`^\s*FIO Benchmark Compar(?:sion|ison) Summary\s*$`)
	versusFor  = regexp.MustCompile(`(?i)^\s*for:\s*(.+?)\s+vs\.?\s+(.+?)\s*$`)
	versusRow  = regexp.MustCompile(`(?i)^\s*(random|sequential|cpu idleness):\s*(.+?)\s+vs\s+(.+?)\s+:\s+(.+?)\s*$`)
)

// traceComparison determines how far a text can be read as a comparison; splitComparison reads it.
func traceComparison(t *text, _ *Part) (last int, err error) {
	for i, l := range t.lines {
		if versusHead.MatchString(l) || versusRow.MatchString(l) {
			last = t.at(i)
		}
	}
	return last, nil
}

// splitComparison reads both sides of a comparison.
func splitComparison(t *text) []*Part {
	var parts [2]*Part
	var readers [2]*kbenchReader
	in := false
	for i, l := range t.lines {
		switch {
		case versusHead.MatchString(l):
			in = true
			for k := range parts {
				parts[k], readers[k] = &Part{}, &kbenchReader{}
			}
			parts[0].Source.Own, parts[1].Source.Own = "first", "second"
		case !in:
		case versusFor.MatchString(l):
			m := versusFor.FindStringSubmatch(l)
			if m[1] != m[2] {
				parts[0].Source.Own, parts[1].Source.Own = m[1], m[2]
			}
		case kbenchField.MatchString(l):
			m := kbenchField.FindStringSubmatch(l)
			for k := range parts {
				readers[k].field(parts[k], strings.ToLower(m[1]), m[2])
			}
		case kbenchAspect.MatchString(l):
			for k := range parts {
				readers[k].begin(kbenchAspect.FindStringSubmatch(l))
			}
		case versusRow.MatchString(l) && readers[0].aspect != nil:
			versus(t.at(i), versusRow.FindStringSubmatch(l), parts, readers)
		}
	}
	var full []*Part
	for k, p := range parts {
		if p == nil {
			continue
		}
		if readers[k].finish(p); len(p.runs) > 0 {
			full = append(full, p)
		}
	}
	return full
}

// versus parses a row with both sides, and checks the printed change against the figures.
func versus(line int, m []string, parts [2]*Part, readers [2]*kbenchReader) {
	if strings.EqualFold(m[1], "cpu idleness") {
		readers[0].idle(m[2])
		readers[1].idle(m[3])
		return
	}
	var sides [2][2]string
	for k := range sides {
		read, wrote, ok := strings.Cut(m[2+k], " / ")
		if !ok {
			return
		}
		sides[k] = [2]string{read, wrote}
	}
	for k := range sides {
		readers[k].row(line, m[1], sides[k][0], sides[k][1])
	}
	changes := strings.Split(m[4], " / ")
	for i, d := range []model.Direction{model.Read, model.Write} {
		if i >= len(changes) {
			return
		}
		printed, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(changes[i]), "%"), 64)
		a, okA := readers[0].value(sides[0][i])
		b, okB := readers[1].value(sides[1][i])
		if err != nil || !okA || !okB {
			continue
		}
		if actual := (b - a) / a * 100; !near(printed, actual, 0.02) {
			name := readers[1].aspect.workload(m[1], d).Name
			text := fmt.Sprintf("its own arithmetic is off: line %d prints a change of %s for %s, and the figures beside it make %+.2f%%", line, strings.TrimSpace(changes[i]), name, actual)
			if near(printed, (a-b)/b*100, 0.02) {
				text += " (the direction is reversed)"
			}
			parts[1].remark(model.SeverityWarning, []string{name}, text)
		}
	}
}
