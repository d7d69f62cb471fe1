package text

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/plot"
)

// charts draws the scaling of each workload that is not drawn with its table: of points
// that others have published. Beside these and a sweep's no text has a chart: what a
// workload did over time is for the page.
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
