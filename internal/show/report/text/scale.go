package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/plot"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// measuredScale reports whether the run measured several volumes at once, rather than importing
// published points.
func measuredScale(r *model.Report) bool {
	return len(r.Scales) > 0 && len(r.Results) > 0 && r.Scales[0].Source == ""
}

// scales writes the tables of several volumes at once instead of the results' table, and then the
// law.
func (p *page) scales(r *model.Report, notes words.Footnotes) {
	for i := range r.Scales {
		s := &r.Scales[i]
		if i > 0 {
			p.blank()
		}
		p.scale(r, s, notes)
		if fitted := words.Fitted(s); len(fitted.Points) > 1 {
			p.blank()
			for _, l := range plot.Scale(fitted, plot.Options{Style: p.Style, Width: min(p.width, curveWidth)}) {
				p.line(l)
			}
		}
		p.blank()
		if law := words.Fit(s); len(law) > 0 {
			p.field("law", strings.Join(law, " "))
		}
		for _, l := range words.RateHeld(s) {
			p.field("rate", l)
		}
		for _, l := range s.Amplified() {
			p.field("disks", l)
		}
	}
	p.unmeasured(r, notes)
}

// scale writes one row for each number of volumes.
func (p *page) scale(r *model.Report, s *model.Scale, notes words.Footnotes) {
	n, total := &column{title: "volumes", numeric: true}, &column{title: "total", numeric: true}
	width, each := &column{title: words.Confidence(nil), numeric: true}, &column{title: "per volume", numeric: true}
	done := &column{title: "achieved", numeric: true}
	fair := &column{title: "fairness", numeric: true, drop: 3}
	mean, p99 := &column{title: "mean", numeric: true, drop: 4}, &column{title: "p99", numeric: true, drop: 5}
	amplified := &column{title: "amplification", numeric: true}
	device, spread, mark := &column{title: "devices", numeric: true, drop: 2}, &column{title: "starts", numeric: true, drop: 1}, &column{}
	dash := cell{text: p.Text("–"), paint: term.Dim}
	limited, counted, behind := false, false, false
	for _, c := range s.Points {
		bad := c.Verdict == model.Invalid
		n.cells = append(n.cells, cell{text: words.Fixed(float64(c.Volumes), 0)})
		total.cells = append(total.cells, p.number(s.Metric.Format(c.Total.Value), bad))
		width.cells = append(width.cells, p.pointWidth(s.Metric, c.Total, bad, r.Converged(c.Result, s.Direction)))
		each.cells = append(each.cells, p.number(s.Metric.Format(c.PerVolume.Value), bad))
		achieved := dash
		if c.Offered > 0 {
			limited = true
			achieved = p.number(fmt.Sprintf("%.1f%%", 100*c.PerVolume.Value/c.Offered), bad)
		}
		done.cells = append(done.cells, achieved)
		fairness := dash
		if c.Volumes > 1 && c.Fairness > 0 {
			fairness = p.number(words.Fixed(c.Fairness, 3), bad)
		}
		fair.cells = append(fair.cells, fairness)
		mean.cells, p99.cells = append(mean.cells, p.latency(c.Mean, bad)), append(p99.cells, p.latency(c.P99, bad))
		below := dash
		if c.Device != nil {
			counted = true
			below = p.number(s.Metric.Format(c.Device.Value), bad)
		}
		device.cells = append(device.cells, below)
		ratio := dash
		if r := c.Amplification; r != nil {
			behind = true
			if r.NotCounted == "" {
				ratio = p.number(r.OfExpected(), bad)
			}
		}
		amplified.cells = append(amplified.cells, ratio)
		apart := dash
		if c.Volumes > 1 {
			apart = cell{text: p.Text(units.FormatDuration(c.StartSpread)), paint: term.Dim}
		}
		spread.cells = append(spread.cells, apart)
		mark.cells = append(mark.cells, p.mark(model.Result{Verdict: c.Verdict}, notes.Of(c.Result)))
	}
	columns := []*column{n, total, width, each, done, fair, mean, p99, device, amplified, spread, mark}
	columns = slices.DeleteFunc(columns, func(c *column) bool {
		return c == done && !limited || c == device && !counted || c == amplified && !behind
	})
	if len(s.Points) > 0 {
		for _, l := range term.Wrap(p.Text(s.Workload+" on N volumes at once; total is the sum, second by second, while all of them ran"), p.width) {
			p.line(p.Paint(term.Bold, l))
		}
		kept := fit(columns, p.width)
		p.table(kept)
		p.legend(r.Only(s.Shows), kept, p99, nil, p.leftOut(columns, kept))
	}
}
