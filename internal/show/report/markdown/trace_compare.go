package markdown

import (
	"io"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/words"
)

// RenderTraceComparison is Render for a comparison of two traces.
func RenderTraceComparison(w io.Writer, c *iotrace.Comparison) error {
	var p page
	p.para("### Two traces compared")
	var sides []string
	for i, r := range []*iotrace.Run{&c.A, &c.B} {
		sides = append(sides, strings.TrimSpace("- **"+words.Letter(i)+"** "+inline(strings.Join(words.TraceOf(&r.Request), ", "))+prefixed(" at ", inline(r.Environment.Hostname))+", "+inline(words.TraceHow(r))+" "+startWordsAt(r)))
	}
	p.para(strings.Join(sides, "\n"))
	p.para("**" + inline(c.Caution) + "**")
	var rows [][]string
	for i := range c.Rows {
		r := &c.Rows[i]
		half := func(e model.Estimate) string { return inline(r.Metric.FormatWidth(model.Read, e)) }
		rows = append(rows, []string{code(r.Name()), words.ShortMetric(r.Metric), inline(r.Metric.Format(r.A.Value)), half(r.A), inline(r.Metric.Format(r.B.Value)), half(r.B),
			inline(words.Change(r.Ratio.Value, 1)), inline(words.Interval(r.Ratio)), r.Verdict.Words() + prefixed(": ", inline(r.Reason))})
	}
	if len(rows) == 0 {
		p.para("Nothing to compare: no operation has enough I/Os in both.")
	}
	p.table([]string{"operation", "metric", "A:", "95% CI:", "B:", "95% CI:", "change:", "95% CI:", "verdict"}, rows)
	var lines []string
	for _, l := range c.LeftOut {
		lines = append(lines, "- left out: "+inline(l))
	}
	p.para(strings.Join(lines, "\n"))
	p.traceFindings(&iotrace.Report{Findings: c.Findings})
	return p.flush(w)
}
