package text

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// RenderTraceComparison prints what differs between two traces. It fails only when w does.
func RenderTraceComparison(w io.Writer, c *iotrace.Comparison, o Options) error {
	p := newPage(o)
	for i, r := range []*iotrace.Run{&c.A, &c.B} {
		p.field([]string{"A", "B"}[i], append([]string{"trace of " + strings.Join(words.TraceOf(&r.Request), ", ")}, r.Environment.Hostname, words.When(r.Started), words.TraceHow(r))...)
	}
	p.field("note", c.Caution)
	p.blank()
	reasons := p.comparedRows(c)
	p.blank()
	for i, reason := range reasons {
		p.remark(p.Footnote(strconv.Itoa(i+1)), term.Plain, reason)
	}
	for _, l := range c.LeftOut {
		p.field("left out", l)
	}
	t := iotrace.Report{Findings: c.Findings}
	p.traceFindings(&t)
	return p.flush(w)
}

// comparedRows writes the table, and returns why some rows have no verdict.
func (p *page) comparedRows(c *iotrace.Comparison) (reasons []string) {
	if len(c.Rows) == 0 {
		p.line("nothing to compare: no operation has enough I/Os in both")
		return nil
	}
	name, metric := &column{title: "operation"}, &column{title: "metric"}
	a, halfA := &column{title: "A", numeric: true, drop: 3}, &column{title: words.Confidence(nil), numeric: true, drop: 1}
	halfA.of = a
	b, halfB := &column{title: "B", numeric: true, drop: 4}, &column{title: words.Confidence(nil), numeric: true, drop: 1}
	halfB.of = b
	changed, ci, verdict := &column{title: "change", numeric: true}, &column{title: "95% CI", numeric: true, drop: 2}, &column{title: "verdict"}
	last := ""
	for i := range c.Rows {
		r := &c.Rows[i]
		shown := r.Name()
		if shown == last {
			shown = ""
		} else {
			last = shown
		}
		name.cells, metric.cells = append(name.cells, cell{text: p.Text(shown)}), append(metric.cells, cell{text: words.ShortMetric(r.Metric)})
		for _, side := range []struct {
			value, half *column
			e           model.Estimate
		}{{a, halfA, r.A}, {b, halfB, r.B}} {
			side.value.cells = append(side.value.cells, quantity(r.Metric.Format(side.e.Value)))
			side.half.cells = append(side.half.cells, cell{text: p.Text(r.Metric.FormatWidth(model.Read, side.e)), paint: term.Dim})
		}
		changed.cells = append(changed.cells, cell{text: words.Change(r.Ratio.Value, 1)})
		ci.cells = append(ci.cells, cell{text: p.Text(words.Interval(r.Ratio)), paint: term.Dim})
		v := cell{text: r.Verdict.Words(), paint: map[iotrace.Verdict]term.Paint{iotrace.Faster: term.Green, iotrace.Slower: term.Red, iotrace.Unusable: term.Red}[r.Verdict]}
		if r.Reason != "" {
			n := slices.Index(reasons, r.Reason)
			if n < 0 {
				n = len(reasons)
				reasons = append(reasons, r.Reason)
			}
			v.text += " " + p.Footnote(fmt.Sprint(n+1))
		}
		verdict.cells = append(verdict.cells, v)
	}
	p.fitted([]*column{name, metric, a, halfA, b, halfB, changed, ci, verdict})
	return reasons
}
