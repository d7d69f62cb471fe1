package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/words"
)

// mostTraceRows limits the rows of processes.
const mostTraceRows = 20

// RenderTraces is Render for traces.
func RenderTraces(w io.Writer, traces ...*iotrace.Report) error {
	var p page
	for _, t := range traces {
		p.trace(t)
	}
	return p.flush(w)
}

func (p *page) trace(t *iotrace.Report) {
	r := &t.Run
	p.para("### Trace of " + inline(strings.Join(words.TraceOf(&r.Request), ", ")) + prefixed(" at ", inline(r.Environment.Hostname)))
	lead := "**" + inline(words.TraceHow(r)) + "**"
	if r.Status != model.Complete && r.Status != "" {
		lead += prefixed(" ", inline(string(r.Status)+": "+r.Reason))
	}
	p.para(strings.TrimSpace(lead + " " + startWordsAt(r)))
	if labels := r.Labels.Words(); len(labels) > 0 {
		p.para("Labels: " + codes(labels))
	}
	p.traceFindings(t)
	figures := []string{"I/Os:", "rate:", "KiB:", "mean:", "95% CI:", "p50:", "p99:", "95% CI:", "max:", "wait:"}
	var rows [][]string
	for i := range t.Kinds {
		k := &t.Kinds[i]
		rows = append(rows, append([]string{code(k.Device), inline(string(k.Operation))}, traceCells(&k.Figures, r.Seconds)...))
	}
	if len(rows) == 0 {
		p.para("No I/O was seen.")
	}
	p.table(append([]string{"device", "operation"}, figures...), rows)
	if r.Method != iotrace.ByCounters {
		p.traceRows(t, figures)
	}
	p.traceDetails(t)
}

func startWordsAt(r *iotrace.Run) string {
	if r.Started.IsZero() {
		return ""
	}
	return "(" + words.When(r.Started) + ")"
}

// traceCells returns the figures of a row, with the available intervals.
func traceCells(f *iotrace.Figures, seconds float64) []string {
	rate, most := "–", "–"
	if seconds > 0 {
		rate = model.IOPS.Format(float64(f.IOs) / seconds)
	}
	if f.Max > 0 {
		most = units.FormatDuration(f.Max)
	}
	half := func(m model.Metric) string { return m.FormatWidth(model.Read, f.Metrics[m]) }
	return []string{fmt.Sprint(f.IOs), rate, fmt.Sprint(f.Bytes >> 10), units.FormatDuration(f.Mean), half(model.Latency), percentile(f.P50, ""), percentile(f.P99, ""), half(model.P99), most, units.FormatDuration(f.Wait)}
}

// traceRows writes which processes did the I/O.
func (p *page) traceRows(t *iotrace.Report, figures []string) {
	var rows [][]string
	for i := range t.Rows[:min(len(t.Rows), mostTraceRows)] {
		r := &t.Rows[i]
		pid := fmt.Sprint(r.PID)
		if r.PID == 0 {
			pid = "–"
		}
		rows = append(rows, append(append([]string{code(words.TraceWho(r)), pid, code(r.Device), inline(string(r.Operation))}, traceCells(&r.Figures, t.Run.Seconds)...), code(r.Cgroup)))
	}
	p.table(append(append([]string{"command", "pid:", "device", "operation"}, figures...), "cgroup"), rows)
	if over := len(t.Rows) - len(rows); over > 0 {
		p.para(fmt.Sprintf("and %d more", over))
	}
}

// traceFindings says what part of the device's I/O was not observed, and what else is worth
// knowing.
func (p *page) traceFindings(t *iotrace.Report) {
	var lines []string
	for _, f := range t.Findings {
		sign := map[model.Severity]string{model.SeverityInvalid: "**✗ invalid**: ", model.SeverityWarning: "**! warning**: ", model.SeverityNote: "note: ", model.SeverityPassed: "✓ ", model.SeverityNotChecked: "not checked: "}[f.Severity]
		line := "- " + sign + inline(f.Message)
		if f.Next != "" {
			line += " Next: " + code(f.Next)
		}
		lines = append(lines, line)
	}
	for _, lost := range t.Run.Limitations {
		lines = append(lines, "- cannot tell: "+inline(lost))
	}
	for _, d := range t.Damage {
		lines = append(lines, "- damage: "+inline(d))
	}
	p.para(strings.Join(lines, "\n"))
}

// traceDetails writes the histograms and where the trace was made, folded.
func (p *page) traceDetails(t *iotrace.Report) {
	end := p.fold("Histograms")
	shown := false
	for i := range t.Kinds {
		k := &t.Kinds[i]
		var rows [][]string
		for _, b := range k.Bars {
			rows = append(rows, []string{units.FormatDuration(b.From), units.FormatDuration(b.To), fmt.Sprint(b.IOs)})
		}
		if len(rows) == 0 {
			continue
		}
		shown = true
		p.para(code(k.Device) + " " + inline(string(k.Operation)))
		p.table([]string{"from:", "below:", "I/Os:"}, rows)
	}
	if !shown {
		p.para("There are none: the counters have sums only.")
	}
	end()
	e := &t.Run.Environment
	end = p.fold("Where it was made")
	p.facts([][2]string{{"host", inline(e.Hostname)}, {"kernel", inline(e.Kernel)}, {"directory", code(t.Directory)}})
	end()
}
