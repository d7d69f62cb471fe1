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

// curveWidth is the width of the curve of latency against rate, in columns.
const curveWidth = 80

// barWidth is the width of the bars that compare the cells of a grid.
const barWidth = 12

// sweep writes the table of a sweep instead of the results' table, which would repeat it under the
// workloads' names, and what was found.
func (p *page) sweep(r *model.Report, notes words.Footnotes) {
	s := r.Sweep
	if s.Kind == model.SweepLoad {
		p.load(r, notes)
	} else {
		p.grid(r, notes)
	}
	p.unmeasured(r, notes)
	if len(s.Points) > 2 {
		p.blank()
		for _, l := range plot.Curve(s, plot.Options{Style: p.Style, Width: min(p.width, curveWidth)}) {
			p.line(l)
		}
	}
}

// grid writes one row for each cell: the depths of a block size below each other.
func (p *page) grid(r *model.Report, notes words.Footnotes) {
	s, top := r.Sweep, 0.0
	jobs, directions := map[int]bool{}, map[model.Direction]bool{}
	for _, c := range s.Points {
		top = max(top, c.IOPS.Value)
		jobs[c.Jobs], directions[c.Direction] = true, true
	}
	block, job, way := &column{title: s.Base}, &column{title: "jobs", numeric: true}, &column{title: "flow"}
	depth := &column{title: "depth", numeric: true}
	iops, width := &column{title: "IOPS", numeric: true}, &column{title: words.Confidence(nil), numeric: true}
	bandwidth := &column{title: "bandwidth", numeric: true, drop: 3}
	p50, p99 := &column{title: "p50", numeric: true, drop: 4}, &column{title: "p99", numeric: true, drop: 5}
	bar, mark := &column{drop: 1}, &column{}
	before := int64(0)
	for _, c := range s.Points {
		bad := c.Verdict == model.Invalid
		name := units.FormatBlock(c.BlockSize)
		if c.BlockSize == before {
			name = ""
		}
		before = c.BlockSize
		block.cells = append(block.cells, cell{text: name})
		job.cells = append(job.cells, cell{text: words.Fixed(float64(c.Jobs), 0)})
		way.cells = append(way.cells, cell{text: string(c.Direction)})
		depth.cells = append(depth.cells, cell{text: words.Fixed(float64(c.Depth), 0)})
		iops.cells = append(iops.cells, p.number(units.FormatRate(c.IOPS.Value), bad))
		width.cells = append(width.cells, p.pointWidth(model.IOPS, c.IOPS, bad, r.Converged(c.Result, c.Direction)))
		bandwidth.cells = append(bandwidth.cells, p.number(units.FormatBandwidth(c.Bandwidth.Value), bad))
		p50.cells, p99.cells = append(p50.cells, p.latency(c.P50, bad)), append(p99.cells, p.latency(c.P99, bad))
		share := 0.0
		if top > 0 && !bad {
			share = c.IOPS.Value / top
		}
		bar.cells = append(bar.cells, cell{text: p.Bar(share, barWidth), paint: term.Cyan})
		mark.cells = append(mark.cells, p.mark(model.Result{Verdict: c.Verdict}, notes.Of(c.Result)))
	}
	columns := []*column{block, job, way, depth, iops, width, bandwidth, p50, p99, bar, mark}
	columns = slices.DeleteFunc(columns, func(c *column) bool {
		return c == job && len(jobs) < 2 || c == way && len(directions) < 2
	})
	if len(s.Points) > 0 {
		kept := fit(columns, p.width)
		p.table(kept)
		p.legend(r.Only(s.Shows), kept, p99, nil, p.leftOut(columns, kept))
	}
}

// load writes one row for each offered rate, then the capacity and the knee.
func (p *page) load(r *model.Report, notes words.Footnotes) {
	s := r.Sweep
	offered, share := &column{title: "offered", numeric: true}, &column{title: "of capacity", numeric: true, drop: 3}
	done := &column{title: "achieved", numeric: true}
	mean, width := &column{title: "mean", numeric: true}, &column{title: words.Confidence(nil), numeric: true}
	p50, p99 := &column{title: "p50", numeric: true, drop: 2}, &column{title: "p99", numeric: true}
	p999, mark := &column{title: "p99.9", numeric: true, drop: 1}, &column{}
	for _, c := range s.Points {
		bad := c.Verdict == model.Invalid
		offered.cells = append(offered.cells, p.number(model.IOPS.Format(c.Offered), false))
		share.cells = append(share.cells, cell{text: fmt.Sprintf("%.0f%%", 100*c.Fraction)})
		done.cells = append(done.cells, p.number(fmt.Sprintf("%.1f%%", 100*c.Achieved), bad))
		mean.cells = append(mean.cells, p.latency(c.Mean, bad))
		w := cell{text: p.Text("–"), paint: term.Dim}
		if c.Mean != nil {
			w = p.pointWidth(model.Latency, *c.Mean, bad, r.Converged(c.Result, c.Direction))
		}
		width.cells = append(width.cells, w)
		p50.cells, p99.cells = append(p50.cells, p.latency(c.P50, bad)), append(p99.cells, p.latency(c.P99, bad))
		p999.cells = append(p999.cells, p.latency(c.P999, bad))
		mark.cells = append(mark.cells, p.mark(model.Result{Verdict: c.Verdict}, notes.Of(c.Result)))
	}
	if len(s.Points) > 0 {
		columns := []*column{offered, share, done, mean, width, p50, p99, p999, mark}
		kept := fit(columns, p.width)
		p.table(kept)
		p.legend(r.Only(s.Shows), kept, p99, p999, p.leftOut(columns, kept))
		p.blank()
	}
	if c := s.Capacity; c != nil {
		p.field("closed", model.IOPS.Format(c.Value)+halfWords(*c), "the capacity, in a closed loop of depth "+p.depthOf(r))
	}
	switch k := s.Knee; {
	case k == nil:
		p.field("knee", p.Text("– none: no rate is sustained, or its p99 is not known or not valid"))
	default:
		at := "at "
		if !k.Beyond {
			at = "≥ "
		}
		p.field("knee", p.Paint(term.Bold, p.Text(at+model.IOPS.Format(k.Offered))), fmt.Sprintf("%.0f %% of the capacity, p99 %s", 100*k.Fraction, model.P99.Format(k.P99)), k.Why)
	}
}

// depthOf returns the depth of the closed loop.
func (p *page) depthOf(r *model.Report) string {
	for _, w := range r.Run.Workloads {
		if w.Name == model.CapacityWorkload {
			return words.Fixed(float64(w.Depth), 0)
		}
	}
	return p.Text("–")
}

// halfWords returns the interval of a rate, for example " ±1.2%"; empty if it has none.
func halfWords(e model.Estimate) string {
	if e.Confidence == 0 {
		return ""
	}
	return " " + model.IOPS.FormatWidth("", e)
}

// width95 returns the interval of an estimate of a metric of which no width was requested.
func (p *page) width95(m model.Metric, e model.Estimate, bad bool) cell {
	return p.pointWidth(m, e, bad, true)
}

// pointWidth returns the interval of a point of a sweep or of several volumes, with the star of one that has not converged.
func (p *page) pointWidth(m model.Metric, e model.Estimate, bad, converged bool) cell {
	return p.halfWidth(model.Result{Metric: m, Estimate: e, Converged: converged}, bad)
}

// latency formats a latency in seconds, or a dash if there are too few I/Os for it.
func (p *page) latency(e *model.Estimate, bad bool) cell {
	if e == nil {
		return p.percentile(nil, bad)
	}
	return p.percentile(&e.Value, bad)
}

// unmeasured names the cells without a number.
func (p *page) unmeasured(r *model.Report, notes words.Footnotes) {
	seen := map[string]bool{}
	for _, res := range r.Results {
		seen[res.Workload] = true
	}
	var names []string
	for _, w := range r.Run.Workloads {
		if !seen[w.Name] {
			names = append(names, strings.TrimSpace(w.Name+" "+p.marks(notes.Of(w.Name))))
		}
	}
	if len(names) > 0 {
		p.remark("–", term.Dim, "not measured: "+strings.Join(names, ", "))
	}
}
