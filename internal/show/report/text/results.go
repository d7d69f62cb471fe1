package text

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// sparkWidth is the width of "over time" if space is short, sparkMost if there is plenty.
const (
	sparkWidth = 10
	sparkMost  = 30
)

// results writes the table: one row per result, and one for each planned workload without one, so
// that nothing is missing silently.
func (p *page) results(r *model.Report, notes words.Footnotes) {
	if len(r.Results) == 0 && len(r.Run.Workloads) == 0 {
		p.line("no results")
		return
	}
	name := &column{title: "workload"}
	pattern := &column{title: "pattern", drop: 2}
	value := &column{title: "result", numeric: true}
	width := &column{title: words.Confidence(r.Results), numeric: true}
	p50 := &column{title: "p50", numeric: true, drop: 5}
	p99 := &column{title: "p99", numeric: true, drop: 6}
	p999 := &column{title: "p99.9", numeric: true, drop: 1}
	within := &column{title: "observed", numeric: true, drop: 3}
	series := &column{title: "over time", drop: 4}
	mark := &column{}
	columns := []*column{name, pattern, value, width, p50, p99, p999, within, series, mark}
	seen := map[string]bool{}
	for _, res := range r.Results {
		lat := res.Latency
		if lat == nil {
			lat = &model.LatencySummary{}
		}
		bad := res.Verdict == model.Invalid
		name.cells = append(name.cells, cell{text: p.Text(words.ResultName(r, res))})
		description := res.Description
		if seen[res.Workload] {
			description = ""
		}
		seen[res.Workload] = true
		pattern.cells = append(pattern.cells, cell{text: p.Text(description), paint: term.Dim})
		value.cells = append(value.cells, p.number(res.Metric.FormatOf(res.Direction, res.Value), bad))
		width.cells = append(width.cells, p.halfWidth(res, bad))
		p50.cells = append(p50.cells, p.percentile(lat.P50, bad))
		p99.cells = append(p99.cells, p.percentile(lat.P99, bad))
		p999.cells = append(p999.cells, p.percentile(lat.P999, bad))
		within.cells = append(within.cells, p.span(res.Span))
		series.cells = append(series.cells, cell{text: p.Spark(res.Series, sparkWidth)})
		mark.cells = append(mark.cells, p.mark(res, notes.Of(res.Workload)))
	}
	for _, w := range r.Run.Workloads {
		if seen[w.Name] {
			continue
		}
		name.cells = append(name.cells, cell{text: p.Text(w.Name)})
		pattern.cells = append(pattern.cells, cell{text: p.Text(w.Describe()), paint: term.Dim})
		for _, c := range []*column{value, width, p50, p99, p999, within} {
			c.cells = append(c.cells, cell{text: p.Text("–"), paint: term.Dim})
		}
		series.cells = append(series.cells, cell{})
		mark.cells = append(mark.cells, cell{text: strings.TrimSpace(p.Text("– not measured ") + p.marks(notes.Of(w.Name)))})
	}
	columns = slices.DeleteFunc(columns, func(c *column) bool {
		return c == p99 && none(r, p99Of) || c == p999 && none(r, p999Of) || c == within && !words.Looked(r)
	})
	kept := fit(columns, p.width)
	p.widen(series, kept, r)
	p.table(kept)
	p.legend(r, kept, p99, p999, p.leftOut(columns, kept))
}

// widen gives the remaining columns to the sparkline.
func (p *page) widen(series *column, columns []*column, r *model.Report) {
	n := min(sparkMost, sparkWidth+p.width-total(columns))
	for i, res := range r.Results {
		series.cells[i].text = p.Spark(res.Series, n)
	}
}

// number splits a formatted number from its unit. A number that must not be used is in parentheses,
// and crossed out if the terminal supports it.
func (p *page) number(s string, bad bool) cell {
	i := strings.IndexAny(s, " /")
	if i < 0 {
		i = len(s)
	}
	c := cell{text: p.Text(s[:i]), unit: p.Text(s[i:])}
	if bad {
		c.text, c.unit, c.paint = "("+c.text, c.unit+")", term.Crossed
	}
	return c
}

// halfWidth formats the interval, as its relative half-width or with its ends; words.Star
// says what its star means (for a flush, no width is requested).
func (p *page) halfWidth(res model.Result, bad bool) cell {
	c := cell{text: p.Text(res.Metric.FormatWidth(res.Direction, res.Estimate))}
	if c.text == p.Text("–") {
		return cell{text: c.text, paint: term.Dim}
	}
	if !res.Converged && res.Direction != model.Sync {
		c.unit, c.paint = "*", term.Yellow
	}
	if bad {
		c.paint = term.Dim
	}
	return c
}

// span formats how long a workload was observed, including pauses.
func (p *page) span(seconds float64) cell {
	if seconds <= 0 {
		return cell{text: p.Text("–"), paint: term.Dim}
	}
	return cell{text: words.Span(seconds), paint: term.Dim}
}

// percentile formats a latency, or a dash if the number of I/Os does not support it.
func (p *page) percentile(v *float64, bad bool) cell {
	if v == nil || math.IsNaN(*v) {
		return cell{text: p.Text("–"), paint: term.Dim}
	}
	return p.number(model.P99.Format(*v), bad)
}

// mark returns the verdict and the footnotes at the end of a row.
func (p *page) mark(res model.Result, notes []int) cell {
	var c cell
	switch res.Verdict {
	case model.Invalid:
		c = cell{text: "✗ invalid", paint: term.Red}
	case model.Suspect:
		c = cell{text: "!", paint: term.Yellow}
	case model.Valid:
		c = cell{text: "✓", paint: term.Green}
	default:
		c = cell{text: "– not checked", paint: term.Dim}
	}
	c.text = strings.TrimSpace(p.Text(c.text) + " " + p.marks(notes))
	return c
}

// marks returns footnote numbers: "¹ ³".
func (p *page) marks(notes []int) string {
	list := make([]string, len(notes))
	for i, n := range notes {
		list[i] = p.Footnote(strconv.Itoa(n))
	}
	return strings.Join(list, " ")
}

// legend explains in one line the marks, stars and dashes that the table contains, and names the
// columns that it omits.
func (p *page) legend(r *model.Report, shown []*column, p99, p999 *column, left string) {
	var parts []string
	if slices.ContainsFunc(r.Results, func(res model.Result) bool { return res.Verdict == model.Suspect }) {
		parts = append(parts, "✓ valid", "! suspect")
	}
	if star := words.Star(r); star != "" {
		parts = append(parts, "* "+star)
	}
	hidden := func(c *column, get func(*model.LatencySummary) *float64) bool {
		return slices.Contains(shown, c) && slices.ContainsFunc(r.Results, func(res model.Result) bool {
			return res.Latency != nil && get(res.Latency) == nil
		})
	}
	a, b := hidden(p99, p99Of), hidden(p999, p999Of)
	switch {
	case a && b:
		parts = append(parts, "– too few independent I/Os: p99 needs 367, p99.9 3,687")
	case a:
		parts = append(parts, "– too few independent I/Os: p99 needs 367")
	case b:
		parts = append(parts, "– too few independent I/Os: p99.9 needs 3,687")
	}
	if left != "" {
		parts = append(parts, left)
	}
	p.parts(parts)
}

// parts writes phrases separated by three blanks, on as many lines as necessary.
func (p *page) parts(parts []string) {
	const indent = "  "
	line := ""
	end := func() {
		lines := []string{line}
		if term.Columns(indent+line) > p.width {
			lines = term.Wrap(line, p.width-len(indent))
		}
		for _, l := range lines {
			if l != "" {
				p.line(indent + p.Paint(term.Dim, l))
			}
		}
	}
	for _, part := range parts {
		part = p.Text(part)
		switch {
		case line == "":
			line = part
		case term.Columns(indent+line)+3+term.Columns(part) <= p.width:
			line += "   " + part
		default:
			end()
			line = part
		}
	}
	end()
}

func p99Of(l *model.LatencySummary) *float64  { return l.P99 }
func p999Of(l *model.LatencySummary) *float64 { return l.P999 }

// none reports whether no result has the percentile, so that its column would be empty.
func none(r *model.Report, get func(*model.LatencySummary) *float64) bool {
	return !slices.ContainsFunc(r.Results, func(res model.Result) bool { return res.Latency != nil && get(res.Latency) != nil })
}
