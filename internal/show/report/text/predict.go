package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/prediction"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
)

// limitWords describe what limits transactions.
var limitWords = map[prediction.Limit]string{
	prediction.ByFlushes: "flushes of the log", prediction.ByProcessors: "processors", prediction.ByReads: "reads",
	prediction.ByRows: "rows that others have changed", prediction.ByWork: "own work, not the storage",
}

// RenderPrediction prints the predicted performance of an application: a row for each number of
// clients, what it is computed from, and its assumptions. It fails only when w does.
func RenderPrediction(w io.Writer, x *prediction.Prediction, o Options) error {
	p := newPage(o)
	p.facts("predict", x.Application, fmt.Sprintf("%s, scale %d", x.Load, x.Scale), "not measured")
	p.facts("on", x.From.Target, x.From.ID, strings.Join(x.From.Workloads, ", "))
	p.facts("as on", x.Like.Target, x.Like.ID, strings.Join(x.Like.Workloads, ", "))
	p.blank()
	p.predicted(x)
	p.blank()
	var flushes []string
	for _, f := range x.Flushes {
		flushes = append(flushes, units.FormatBlock(f.Bytes)+" "+within(f.Estimate))
	}
	p.field("flush", flushes...)
	if r := x.Read; r != nil {
		at := ""
		if r.Concurrency > 0 {
			at = fmt.Sprintf("%d at once", r.Concurrency)
		}
		p.field("read", units.FormatBlock(r.Bytes)+" "+within(r.Estimate), at)
	}
	for _, c := range x.Costs {
		parts := []string{c.Workload, units.FormatSize(int64(c.LogBytes)) + " of log", few(c.Reads) + " reads"}
		if c.Processor != nil {
			on := units.FormatDuration(*c.Processor) + " on a processor"
			if c.Contention > 0 {
				on += fmt.Sprintf(" × %.2f for contention", c.Contention)
			}
			parts = append(parts, on)
		}
		p.field("each", parts...)
	}
	p.field("plus", within(x.Other)+" of other work of a transaction's own (round trips, WAL writes, locks)")
	p.blank()
	if x.Verdict == model.Invalid {
		p.remark("✗", term.Red, "invalid: some of the storage's numbers that it is computed from are invalid")
	}
	for _, f := range x.Findings {
		mark, paint := "!", term.Yellow
		if f.Severity == model.SeverityInvalid {
			mark, paint = "✗", term.Red
		}
		p.remark(mark, paint, f.Rule+": "+f.Message)
	}
	p.remark("·", term.Plain, fmt.Sprintf("the interval holds what both runs leave open, at 95 %%, and the model's error, which is taken to be up to %.0f %% (docs/predict.md)", 100*x.ModelError))
	p.remark("·", term.Plain, "if "+strings.Join(x.Assumes, "; if "))
	return p.flush(w)
}

// predicted writes the rows.
func (p *page) predicted(x *prediction.Prediction) {
	n, rate, low := &column{title: "clients", numeric: true}, &column{title: "tps", numeric: true}, &column{title: "interval", numeric: true}
	latency, flushes := &column{title: "mean", numeric: true}, &column{title: "flushes each", numeric: true, drop: 1}
	flushing, busy := &column{title: "flushing", numeric: true, drop: 2}, &column{title: "processors", numeric: true, drop: 3}
	limit := &column{title: "limited by"}
	for _, at := range x.Points {
		n.cells = append(n.cells, cell{text: units.FormatNumber(float64(at.Clients))})
		rate.cells = append(rate.cells, cell{text: units.FormatRate(at.Rate.Value), paint: term.Bold})
		low.cells = append(low.cells, cell{text: units.FormatRate(at.Rate.Low) + " to " + units.FormatRate(at.Rate.High)})
		latency.cells = append(latency.cells, quantity(units.FormatDuration(at.Latency.Value)))
		flushes.cells = append(flushes.cells, cell{text: few(at.Flushes)})
		flushing.cells = append(flushing.cells, cell{text: percentOf(at.Flushing)})
		busy.cells = append(busy.cells, p.cost(at.Busy, percentOf))
		limit.cells = append(limit.cells, cell{text: limitWords[at.Limit]})
	}
	p.fitted([]*column{n, rate, low, latency, flushes, flushing, busy, limit})
}

// within formats a time with its interval.
func within(e model.Estimate) string {
	return fmt.Sprintf("%s (%s to %s)", units.FormatDuration(e.Value), units.FormatDuration(e.Low), units.FormatDuration(e.High))
}
