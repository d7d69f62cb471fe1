package text

import (
	"io"

	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/plot"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// RenderStudy prints the conclusions that points allow: a table of capacities, then for each
// workload what limits it and what its law does not say, then where the report that the points come
// from contradicts itself. It fails only when w does.
func RenderStudy(w io.Writer, s *study.Study, o Options) error {
	p := newPage(o)
	p.field("points", s.Name, s.Source)
	p.blank()
	p.capacities(s)
	for i := range s.Scales {
		p.scaleStudy(&s.Scales[i])
	}
	if s.Common != nil {
		p.blank()
		p.line(p.Paint(term.Bold, "all together"))
		for _, l := range s.Common.Sentences {
			p.remark("·", term.Plain, l)
		}
	}
	for _, c := range s.Control {
		p.remark("·", term.Plain, c.Workload+": "+words.Growth(&c))
	}
	if s.Rebuild != nil {
		p.blank()
		p.rebuild(s.Rebuild)
	}
	if len(s.Slips) > 0 {
		p.blank()
		p.line(p.Paint(term.Bold, "contradictions in the report"))
		for _, l := range s.Slips {
			p.remark("!", term.Yellow, l.Where+": "+l.Message)
		}
	}
	return p.flush(w)
}

// capacities writes a row for each workload that has a law.
func (p *page) capacities(s *study.Study) {
	name, alone, capacity := &column{title: "workload"}, &column{title: p.Text("one volume"), numeric: true}, &column{title: "capacity", numeric: true}
	width, knee := &column{title: words.Confidence(nil), numeric: true}, &column{title: "knee", numeric: true, drop: 2}
	law, binds := &column{title: "law", drop: 1}, &column{title: "binds"}
	for i := range s.Scales {
		x := &s.Scales[i]
		l := x.Scale.Law()
		if l == nil {
			continue
		}
		m := x.Scale.Metric
		name.cells = append(name.cells, cell{text: p.Text(x.Scale.Workload)})
		alone.cells = append(alone.cells, p.number(m.FormatTotal(l.First.Value), false))
		knee.cells = append(knee.cells, cell{text: dashed(p, l.Knee)})
		law.cells = append(law.cells, cell{text: string(l.Kind), paint: term.Dim})
		if l.Capacity == nil {
			capacity.cells = append(capacity.cells, cell{text: p.Text("–")})
			width.cells = append(width.cells, cell{text: p.Text("–"), paint: term.Dim})
		} else {
			capacity.cells = append(capacity.cells, p.number(m.FormatTotal(l.Capacity.Value), false))
			width.cells = append(width.cells, p.width95(m, *l.Capacity, false))
		}
		what := "–"
		if x.Limit != nil && x.Limit.Binding != "" {
			what = x.Limit.Binding.Name()
		}
		binds.cells = append(binds.cells, cell{text: p.Text(what)})
	}
	if len(name.cells) > 0 {
		p.fitted([]*column{name, alone, capacity, width, knee, law, binds})
	}
}

func dashed(p *page, v float64) string {
	if v == 0 {
		return p.Text("–")
	}
	return units.FormatNumber(v)
}

// scaleStudy draws the law and writes what follows from it.
func (p *page) scaleStudy(x *study.Scale) {
	p.blank()
	if drawn := words.Fitted(&x.Scale.Scale); len(drawn.Points) > 0 {
		for _, l := range plot.Scale(drawn, plot.Options{Style: p.Style, Width: min(p.width, curveWidth)}) {
			p.line(l)
		}
	} else {
		p.line(p.Paint(term.Bold, p.Text(x.Scale.Workload)))
	}
	if x.Limit != nil {
		for _, l := range x.Limit.Sentences {
			p.remark("·", term.Plain, l)
		}
	}
	for _, l := range words.Latencies(x) {
		p.remark("·", term.Plain, l)
	}
	if x.Nodes != nil && len(x.Nodes.Points) > 0 {
		p.remark("·", term.Plain, words.Growth(x.Nodes))
	}
	for _, l := range x.Caveats {
		p.remark("!", term.Yellow, l)
	}
}

// RenderRebuild prints how large a volume can be and still be rebuilt in time. It fails only when w
// does.
func RenderRebuild(w io.Writer, from string, r *study.Rebuilds, o Options) error {
	p := newPage(o)
	p.field("points", from)
	p.rebuild(r)
	return p.flush(w)
}

// rebuild writes the largest volumes.
func (p *page) rebuild(r *study.Rebuilds) {
	p.line(p.Paint(term.Bold, "rebuilding"))
	if r.Bandwidth > 0 {
		text := "data pass at " + units.FormatBandwidth(r.Bandwidth)
		if r.Binding != "" {
			text += ", which is what the " + r.Binding.Name() + " allows"
		}
		p.remark("·", term.Plain, text)
	}
	if r.PerExtent > 0 {
		p.remark("·", term.Plain, "each piece of scattered data costs another "+units.FormatDuration(r.PerExtent))
	}
	for _, l := range r.Largest {
		p.remark("·", term.Plain, words.Largest(l))
	}
	for _, n := range append(words.RebuildReach(r), r.Notes...) {
		p.remark("!", term.Yellow, n)
	}
}
