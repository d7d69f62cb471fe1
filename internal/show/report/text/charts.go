package text

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/plot"
)

// charts draws the scaling of each workload that is not drawn with its table: of points that others
// have published. Apart from these and the chart of a sweep, text has no charts: the course of a
// workload over time is shown on the page.
func (p *page) charts(r *model.Report) {
	if measuredScale(r) || len(r.Scales) == 0 {
		return
	}
	o := plot.Options{Style: p.Style, Width: min(p.width, curveWidth)}
	for i := range r.Scales {
		p.blank()
		for _, l := range plot.Scale(&r.Scales[i], o) {
			p.line(l)
		}
	}
	p.blank()
}
