package text

import (
	"fmt"
	"io"

	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
)

// RenderExplanation prints where the time of an operation went: for two runs the common workloads
// side by side, for one run the budget of each workload. It fails only when w does.
func RenderExplanation(w io.Writer, x *budget.Explanation, o Options) error {
	p := newPage(o)
	for i := range x.Runs {
		p.explainHead(&x.Runs[i], []string{"A", "B"}[i], len(x.Runs) > 1)
	}
	for i := range x.Comparisons {
		p.blank()
		p.explainComparison(&x.Comparisons[i])
	}
	if len(x.Runs) > 1 && len(x.Comparisons) == 0 {
		p.blank()
		p.line(p.Text("the two runs have no comparable workloads"))
	}
	for i := range x.Runs {
		side := &x.Runs[i]
		name := ""
		if len(x.Runs) > 1 {
			name = []string{"A", "B"}[i] + ": "
		}
		for k := range side.Budgets {
			p.blank()
			p.budget(name, &side.Budgets[k])
		}
		if len(side.LeftOut) > 0 {
			p.blank()
		}
		for _, left := range side.LeftOut {
			p.remark("–", term.Dim, name+left)
		}
	}
	return p.flush(w)
}

func (p *page) explainHead(s *budget.Side, name string, several bool) {
	label := "run"
	if several {
		label = "run " + name
	}
	how := ""
	if s.Imported {
		how = "imported"
	}
	p.facts(label, s.Target, s.ID, how)
}

// budget writes one budget: a row for each part, the remainder, and the conclusions.
func (p *page) budget(name string, b *budget.Budget) {
	p.line(p.Paint(term.Bold, p.Text(name+b.Workload)) + p.Paint(term.Dim, p.Text("  "+b.Description)))
	part, time, share := &column{title: "of one " + b.Operation}, &column{title: "time", numeric: true}, &column{title: "share", numeric: true}
	of, source := &column{title: "computed as", drop: 1}, &column{title: "source"}
	add := func(name string, seconds, of1 float64, how, from string, paint term.Paint) {
		part.cells = append(part.cells, cell{text: name, paint: paint})
		time.cells = append(time.cells, quantity(budget.FormatTime(seconds)))
		share.cells = append(share.cells, cell{text: p.Text(units.FormatPart(of1))})
		of.cells, source.cells = append(of.cells, cell{text: how}), append(source.cells, cell{text: from, paint: term.Dim})
	}
	for _, r := range b.Rows {
		add(r.Name, r.Seconds, r.Share, r.Of, r.Measured(units.FormatDuration), term.Plain)
	}
	add("left over", b.Residual.Seconds, b.Residual.Share, "", "", term.Dim)
	add("as the client saw it", b.Seen, 1, "", "", term.Bold)
	for i := range b.Amplification {
		r := &b.Amplification[i]
		part.cells, time.cells, share.cells = append(part.cells, cell{text: r.Name()}), append(time.cells, cell{text: r.OfExpected()}), append(share.cells, cell{})
		of.cells, source.cells = append(of.cells, cell{text: r.Rates()}), append(source.cells, cell{text: r.Source(), paint: term.Dim})
	}
	p.fitted([]*column{part, time, share, of, source})
	p.field("closure", fmt.Sprintf("%s of the %s that the client saw: %s", units.FormatPart(b.Closure), units.FormatDuration(b.Seen), b.SeenBy))
	if b.Residual.Share >= 0.005 {
		p.field("left", b.Residual.Name)
	}
	if !b.Closes() {
		p.remark("✗", term.Red, "does not close: "+b.Refused)
		for _, m := range b.Missing {
			p.remark("", term.Plain, "missing: "+m.What+". To measure it: "+m.Measure)
		}
	}
	for i := range b.Amplification {
		p.remark("·", term.Plain, b.Amplification[i].Says)
	}
	for _, n := range b.Notes {
		p.remark("·", term.Plain, n)
	}
	for i, c := range b.Counterfactuals {
		p.remark("→", term.Plain, fmt.Sprintf("%s: %s, %s", c.Change, c.FormatGain(), b.FormatRate(c.Rate)))
		law := budget.ByLaw(c.Law, c.Assumes)
		if i+1 == len(b.Counterfactuals) || budget.ByLaw(b.Counterfactuals[i+1].Law, b.Counterfactuals[i+1].Assumes) != law {
			p.remark("", term.Dim, law)
		}
	}
}

// explainComparison writes the parts of two operations side by side.
func (p *page) explainComparison(c *budget.Comparison) {
	title := c.A
	if c.B != c.A {
		title += " against " + c.B
	}
	p.line(p.Paint(term.Bold, p.Text(title)))
	part, a, b := &column{title: "part"}, &column{title: "A", numeric: true}, &column{title: "B", numeric: true}
	of := &column{title: "B ÷ total of A", numeric: true}
	value := func(v *float64) cell {
		if v == nil {
			return cell{text: "–"}
		}
		return quantity(budget.FormatTime(*v))
	}
	for _, x := range c.Changes {
		name := x.Name
		if x.Part == budget.Residual {
			name = "left over"
		}
		part.cells = append(part.cells, cell{text: name})
		a.cells, b.cells = append(a.cells, value(x.A)), append(b.cells, value(x.B))
		of.cells = append(of.cells, cell{text: x.FormatOf()})
	}
	p.fitted([]*column{part, a, b, of})
	for _, s := range c.Says {
		p.remark("·", term.Plain, s)
	}
	if c.Equal != nil {
		p.remark("", term.Dim, budget.ByLaw(c.Equal.Law, c.Equal.Assumes))
	}
}
