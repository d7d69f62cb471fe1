package markdown

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/units"
)

// budgets writes where the time of one operation of each workload went, folded.
func (p *page) budgets(list []budget.Budget) {
	if len(list) == 0 {
		return
	}
	end := p.fold("Where the time goes")
	defer end()
	for i := range list {
		p.budget(&list[i])
	}
}

// budget writes a row for each part, the remainder, and the conclusions.
func (p *page) budget(b *budget.Budget) {
	p.para(code(b.Workload) + prefixed(" ", inline(b.Description)))
	var rows [][]string
	add := func(r budget.Row, name string) {
		rows = append(rows, []string{inline(name), budget.FormatTime(r.Seconds), share(r.Share), inline(r.Of), inline(r.Measured(units.FormatDuration))})
	}
	for _, r := range b.Rows {
		add(r, r.Name)
	}
	if b.Residual.Seconds != 0 {
		add(b.Residual, "left over: "+b.Residual.Name)
	}
	add(budget.Row{Seconds: b.Seen, Share: 1}, "as the client saw it")
	for i := range b.Amplification {
		r := &b.Amplification[i]
		rows = append(rows, []string{inline(r.Name()), inline(r.OfExpected()), "", inline(r.Rates()), r.Source()})
	}
	p.table([]string{"of one " + inline(b.Operation), "time:", "share:", "computed as", "source"}, rows)
	p.para(fmt.Sprintf("Closure %s of the %s that the client saw: %s", share(b.Closure), units.FormatDuration(b.Seen), inline(b.SeenBy)))
	var lines []string
	if !b.Closes() {
		lines = append(lines, "- **does not close**: "+inline(b.Refused))
		for _, m := range b.Missing {
			lines = append(lines, "- missing: "+inline(m.What)+". To measure it: "+inline(m.Measure))
		}
	}
	for i := range b.Amplification {
		lines = append(lines, "- "+inline(b.Amplification[i].Says))
	}
	for _, n := range b.Notes {
		lines = append(lines, "- "+inline(n))
	}
	for _, c := range b.Counterfactuals {
		lines = append(lines, fmt.Sprintf("- %s: %s, %s (%s)", inline(c.Change), c.FormatGain(), b.FormatRate(c.Rate), inline(budget.ByLaw(c.Law, c.Assumes))))
	}
	p.para(strings.Join(lines, "\n"))
}

// share formats a fraction, which may be negative.
func share(v float64) string {
	return units.FormatPart(v)
}

// compared writes the parts of the operations of two runs side by side.
func (p *page) compared(list []budget.Comparison) {
	if len(list) == 0 {
		return
	}
	end := p.fold("Where the time goes, side by side")
	defer end()
	for i := range list {
		c := &list[i]
		name := code(c.A)
		if c.B != c.A {
			name += " against " + code(c.B)
		}
		p.para(name)
		var rows [][]string
		for _, x := range c.Changes {
			part := x.Name
			if x.Part == budget.Residual {
				part = "left over"
			}
			rows = append(rows, []string{inline(part), known(x.A), known(x.B), x.FormatOf()})
		}
		p.table([]string{"part", "A:", "B:", "B ÷ total of A:"}, rows)
		var lines []string
		for _, s := range c.Says {
			lines = append(lines, "- "+inline(s))
		}
		p.para(strings.Join(lines, "\n"))
	}
}

// known formats a time in seconds; – if there is none.
func known(v *float64) string {
	if v == nil {
		return "–"
	}
	return budget.FormatTime(*v)
}
