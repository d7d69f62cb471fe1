package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// TracePart is a part of a trace's report.
type TracePart string

// The parts: which process did how much I/O, the latencies of each device and operation, a
// histogram of them, the device's own counters as shown by iostat(1), and what became of the
// requests, as counted by blktrace(8).
const (
	TraceOriginators TracePart = "who"
	TraceLatency     TracePart = "latency"
	TraceHistograms  TracePart = "histogram"
	TraceIostat      TracePart = "iostat"
	TraceTotals      TracePart = "totals"
)

// TraceParts are all parts, in their order.
var TraceParts = []TracePart{TraceOriginators, TraceLatency, TraceHistograms, TraceIostat, TraceTotals}

// TraceOptions say how a trace is printed.
type TraceOptions struct {
	Options
	// Parts are the parts to print; none means all.
	Parts []TracePart
	// Rows limits the rows of TraceOriginators; 0 means 20.
	Rows int
}

// RenderTrace prints the report of a trace. It fails only when w does.
func RenderTrace(w io.Writer, t *iotrace.Report, o TraceOptions) error {
	p := newPage(o.Options)
	if !o.Brief {
		p.traceHead(t)
	}
	wanted := func(part TracePart) bool { return len(o.Parts) == 0 || slices.Contains(o.Parts, part) }
	if wanted(TraceOriginators) && t.Run.Method != iotrace.ByCounters {
		p.blank()
		p.traceRows(t.Rows, max(o.Rows, 0))
	}
	said := len(t.Rows) == 0 && len(t.Kinds) == 0 && wanted(TraceOriginators) && t.Run.Method != iotrace.ByCounters
	if wanted(TraceLatency) && !said {
		p.blank()
		p.traceKinds(t)
	}
	if wanted(TraceHistograms) {
		p.traceHistograms(t)
	}
	if wanted(TraceIostat) {
		p.traceIostat(t)
	}
	if wanted(TraceTotals) && t.Run.Method != iotrace.ByCounters {
		p.traceTotals(t)
	}
	p.blank()
	for i, lost := range t.Run.Limitations {
		p.field(map[bool]string{true: "unknown"}[i == 0], lost)
	}
	p.traceFindings(t)
	if t.Directory != "" {
		p.savedIn(t.Directory)
	}
	return p.flush(w)
}

// RenderTraceRows prints a table of the I/O of each process, as a running trace shows it; most
// limits its rows.
func RenderTraceRows(w io.Writer, rows []iotrace.Row, most int, o Options) error {
	p := newPage(o)
	p.traceRows(rows, most)
	return p.flush(w)
}

func (p *page) traceHead(t *iotrace.Report) {
	r := &t.Run
	p.facts("trace", words.TraceOf(&r.Request)...)
	e := &r.Environment
	p.facts("where", e.Hostname, words.Prefixed("kernel ", e.Kernel), units.FormatCount(e.CPUs, "CPU"))
	ran := []string{words.When(r.Started), words.TraceHow(r)}
	if r.Status != model.Complete && r.Status != "" {
		ran = append(ran, string(r.Status)+": "+r.Reason)
	}
	p.facts("ran", ran...)
	p.labels(r.Labels)
	for _, d := range t.Damage {
		p.field("damage", d)
	}
}

// figureColumns returns the columns of figures.
func figureColumns(list []iotrace.Figures) []*column {
	ios, kib := &column{title: "I/Os", numeric: true}, &column{title: "KiB", numeric: true, drop: 3}
	mean, p50, p99, most := &column{title: "mean", numeric: true}, &column{title: "p50", numeric: true, drop: 4}, &column{title: "p99", numeric: true}, &column{title: "max", numeric: true, drop: 2}
	wait := &column{title: "wait", numeric: true, drop: 1}
	// A single second of a running trace has no intervals, and so no columns for them.
	ci := words.Confidence(nil)
	ciMean, ciP99, known := &column{title: ci, name: ci + " of mean", numeric: true, drop: 2}, &column{title: ci, name: ci + " of p99", numeric: true, drop: 6}, false
	percentile := func(v *float64) cell {
		if v == nil {
			return cell{text: "–"}
		}
		return quantity(model.P99.Format(*v))
	}
	for _, f := range list {
		ios.cells = append(ios.cells, cell{text: fmt.Sprint(f.IOs)})
		kib.cells = append(kib.cells, cell{text: fmt.Sprint(f.Bytes >> 10)})
		mean.cells = append(mean.cells, quantity(units.FormatDuration(f.Mean)))
		p50.cells, p99.cells = append(p50.cells, percentile(f.P50)), append(p99.cells, percentile(f.P99))
		largest := cell{text: "–"}
		if f.Max > 0 {
			largest = quantity(units.FormatDuration(f.Max))
		}
		most.cells = append(most.cells, largest)
		wait.cells = append(wait.cells, quantity(units.FormatDuration(f.Wait)))
		known = known || len(f.Metrics) > 0
		for m, c := range map[model.Metric]*column{model.Latency: ciMean, model.P99: ciP99} {
			c.cells = append(c.cells, cell{text: m.FormatWidth(model.Read, f.Metrics[m])})
		}
	}
	if !known {
		return []*column{ios, kib, mean, p50, p99, most, wait}
	}
	return []*column{ios, kib, mean, ciMean, p50, p99, ciP99, most, wait}
}

// quantity splits a number from its unit.
func quantity(s string) cell {
	number, unit, found := strings.Cut(s, " ")
	if !found {
		return cell{text: number}
	}
	return cell{text: number, unit: " " + unit}
}

// traceRows is similar to the output of biotop: process, operation, device.
func (p *page) traceRows(rows []iotrace.Row, most int) {
	if most == 0 {
		most = 20
	}
	if len(rows) == 0 {
		p.line("no I/O was seen")
		return
	}
	over := len(rows) - most
	rows = rows[:min(len(rows), most)]
	pid, command, dev, op := &column{title: "pid", numeric: true}, &column{title: "command"}, &column{title: "device"}, &column{title: "operation"}
	group := &column{title: "cgroup", drop: 5}
	var list []iotrace.Figures
	for i := range rows {
		r := &rows[i]
		number := fmt.Sprint(r.PID)
		if r.PID == 0 {
			number = "–"
		}
		pid.cells, command.cells = append(pid.cells, cell{text: number}), append(command.cells, cell{text: words.TraceWho(r)})
		dev.cells, op.cells = append(dev.cells, cell{text: r.Device}), append(op.cells, cell{text: string(r.Operation)})
		group.cells = append(group.cells, cell{text: p.tail(r.Cgroup, 40)})
		list = append(list, r.Figures)
	}
	columns := append([]*column{command, pid, dev, op}, figureColumns(list)...)
	p.fitted(append(columns, group))
	if over > 0 {
		p.line(p.Paint(term.Dim, fmt.Sprintf("and %d more", over)))
	}
}

// tail returns the end of a path, which is more informative than its beginning.
func (p *page) tail(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return "…" + string(r[len(r)-n+1:])
}

// traceKinds writes the latencies by device and operation, and by size if there are several.
func (p *page) traceKinds(t *iotrace.Report) {
	if len(t.Kinds) == 0 {
		p.line("no I/O was seen")
		return
	}
	dev, op, size := &column{title: "device"}, &column{title: "operation"}, &column{title: "size"}
	var list []iotrace.Figures
	add := func(device, operation, bytes string, f iotrace.Figures) {
		dev.cells, op.cells, size.cells = append(dev.cells, cell{text: device}), append(op.cells, cell{text: operation}), append(size.cells, cell{text: bytes})
		list = append(list, f)
	}
	for _, k := range t.Kinds {
		all := ""
		if len(k.Sizes) == 1 {
			all = sizeWords(k.Sizes[0].Size)
		}
		add(k.Device, string(k.Operation), all, k.Figures)
		if len(k.Sizes) > 1 {
			for _, s := range k.Sizes {
				add("", "", sizeWords(s.Size), s.Figures)
			}
		}
	}
	p.fitted(append([]*column{dev, op, size}, figureColumns(list)...))
}

// sizeWords returns a size class: "4k" for sizes from 4 KiB to below 8 KiB.
func sizeWords(n int64) string { return units.FormatBlock(n) }

func (p *page) traceFindings(t *iotrace.Report) {
	marks := map[model.Severity]string{model.SeverityInvalid: "✗", model.SeverityWarning: "!", model.SeverityNote: "·", model.SeverityPassed: "✓", model.SeverityNotChecked: "–"}
	for i, f := range t.Findings {
		label := ""
		if i == 0 {
			label = "trust"
		}
		p.field(label, marks[f.Severity]+" "+f.Message)
		if f.Next != "" {
			p.field("", "next: "+f.Next)
		}
	}
}
