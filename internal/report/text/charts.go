package text

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/plot"
	"github.com/loadline/loadline/internal/report/term"
	"github.com/loadline/loadline/internal/report/words"
)

// narrowest is the width below which a chart is not put beside another one.
const narrowest = 38

// charts draws what there is: the scaling of each workload, and of each result its
// rate and latency over time and the distribution of its latency.
func (p *page) charts(r *model.Report) {
	o := plot.Options{Style: p.Style, Width: min(p.width, curveWidth)}
	for i := range r.Scales {
		if measuredScale(r) {
			// Drawn with their table.
			break
		}
		p.blank()
		p.lines(plot.Scale(&r.Scales[i], o))
	}
	courses := r.Courses
	if r.Sweep != nil || len(r.Scales) > 0 {
		// They are those of dozens of cells, or numbers of volumes.
		courses = nil
	}
	for i := range courses {
		c := &courses[i]
		res := resultOf(r, c)
		if res == nil {
			continue
		}
		p.blank()
		title := p.Text(words.ResultName(r, *res))
		if res.Description != "" {
			title += "   " + p.Paint(term.Dim, p.Shorten(p.Text(res.Description), max(0, p.width-term.Columns(title)-3)))
		}
		p.line(title)
		o.Width = plot.Panel(3, narrowest, p.width)
		charts := [][]string{plot.Rate(c, res.Metric, o)}
		if res.Latency != nil {
			charts = append(charts, plot.Latency(c, o))
		}
		if len(c.Tail) > 1 {
			charts = append(charts, plot.Tail(c, o))
		}
		p.lines(plot.Beside(charts, o.Width, p.width))
	}
	if len(courses) > 0 || len(r.Scales) > 0 {
		p.blank()
	}
}

func (p *page) lines(list []string) {
	for _, l := range list {
		p.line(l)
	}
}

// resultOf is the result that a course belongs to; nil when there is none.
func resultOf(r *model.Report, c *model.Course) *model.Result {
	for i := range r.Results {
		if res := &r.Results[i]; res.Workload == c.Workload && res.Direction == c.Direction {
			return res
		}
	}
	return nil
}
