package text

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// RenderComparison prints a comparison: the two sides, what they have in common and how they
// differ, a row per workload and metric with its verdict, and what would settle unclear rows. It
// fails only when w does.
func RenderComparison(w io.Writer, c *model.Comparison, o Options) error {
	p := newPage(o)
	if !o.Brief {
		p.sides(c)
	}
	p.common(c)
	p.blank()
	notes := words.Notes(c)
	marks := findingMarks(c, len(notes), p.verbose)
	p.rows(c, notes, marks)
	p.blank()
	for i, n := range notes {
		p.remark(p.Footnote(strconv.Itoa(i+1)), term.Plain, n.Text)
	}
	p.compareFindings(c, marks)
	if len(c.Rows) > 0 {
		p.field("result", words.Decided(c))
	}
	if c.Next != "" {
		p.next(c.Next)
	}
	p.field("verdict", words.Verdicts(c)...)
	p.saved(c.Directory, o)
	return p.flush(w)
}

// CompareHead prints what a comparison is about to measure, before it begins.
func CompareHead(w io.Writer, plans [2]model.Plan, envs [2]model.Environment, tools map[string]string, o Options) error {
	p := newPage(o)
	p.compareHead(plans, envs, tools)
	return p.flush(w)
}

// compareHead writes what is about to be measured, for how long, and what is written there.
func (p *page) compareHead(plans [2]model.Plan, envs [2]model.Environment, tools map[string]string) {
	a := &plans[0]
	s := a.Schedule
	seconds := plans[0].MeasureSeconds + plans[1].MeasureSeconds
	parts := []string{fmt.Sprintf("%s × at least %s, each a repeat of A and one of B in random order", units.FormatCount(len(a.Workloads), "workload"), units.FormatCount(s.MinRounds, "block")) + lookWords(s),
		"measuring " + fromTo(seconds, max(seconds, s.MaxTime))}
	if prefill := plans[0].PrefillSeconds + plans[1].PrefillSeconds; prefill > 0 {
		parts = append(parts, "prefill "+Prefill(prefill, plans[0].MostPrefill()+plans[1].MostPrefill()))
	}
	p.field("plan", parts...)
	for i := range plans {
		v := plans[i].Volume
		p.field(string([]model.Side{model.SideA, model.SideB}[i]), v.Target.Place(), words.Storage(envs[i].Storage), words.Volume(v), "writes "+writeWords(&plans[i]))
		p.memory(envs[i])
	}
	p.facts("where", envs[0].Hostname, words.Tools(tools), engineWords(a.Volume, a.Workloads), words.Prefixed("kernel ", envs[0].Kernel), words.Machine(envs[0]))
}

// sides writes what A and B are.
func (p *page) sides(c *model.Comparison) {
	for _, s := range []struct {
		side model.Side
		run  *model.RunInfo
	}{{model.SideA, &c.A}, {model.SideB, &c.B}} {
		parts := []string{s.run.Target.Place(), words.Storage(s.run.Environment.Storage), s.run.Note, strings.Join(s.run.Labels.Words(), ", ")}
		if c.Method == model.Independent {
			parts = append(parts, startWords(s.run), s.run.Directory)
		}
		p.field(string(s.side), parts...)
	}
}

// common writes what is the same and what differs.
func (p *page) common(c *model.Comparison) {
	p.field("same", words.Common(c)...)
	var parts []string
	for _, d := range c.Differences {
		parts = append(parts, words.Difference(d))
	}
	if len(parts) > 0 {
		p.field("differs", parts...)
	}
}

// rows writes the table.
func (p *page) rows(c *model.Comparison, notes []words.Note, marks words.Footnotes) {
	if len(c.Rows) == 0 {
		p.line("nothing to compare")
		return
	}
	name, pattern, metric := &column{title: "workload"}, &column{title: "pattern", drop: 1}, &column{title: "metric"}
	// If space is short, the two values are dropped before the change and its interval.
	a, halfA := &column{title: "A", numeric: true, drop: 3}, &column{title: words.Confidence(nil), name: "interval of A", numeric: true, drop: 2}
	halfA.of = a
	b, halfB := &column{title: "B", numeric: true, drop: 4}, &column{title: words.Confidence(nil), name: "interval of B", numeric: true, drop: 2}
	halfB.of = b
	changed, ci, verdict := &column{title: "change", numeric: true}, &column{title: "95% CI", numeric: true}, &column{title: "verdict"}
	last := ""
	for i, r := range c.Rows {
		bad := r.Verdict == model.Unusable
		shown, description := words.RowName(c, r), r.Description
		if shown == last {
			shown, description = "", ""
		} else {
			last = shown
		}
		name.cells = append(name.cells, cell{text: p.Text(shown)})
		pattern.cells = append(pattern.cells, cell{text: p.Text(description), paint: term.Dim})
		metric.cells = append(metric.cells, cell{text: words.ShortMetric(r.Metric)})
		a.cells = append(a.cells, p.number(r.Metric.FormatOf(r.Direction, r.A.Value), bad))
		b.cells = append(b.cells, p.number(r.Metric.FormatOf(r.Direction, r.B.Value), bad))
		halfA.cells, halfB.cells = append(halfA.cells, p.rowHalf(r, r.A)), append(halfB.cells, p.rowHalf(r, r.B))
		changed.cells = append(changed.cells, p.number(words.Change(r.Ratio.Value, 1), bad))
		ci.cells = append(ci.cells, cell{text: p.Text(words.Interval(r.Ratio)), paint: term.Dim})
		v := p.changeCell(r)
		for k, n := range notes {
			if slices.Contains(n.Rows, i) {
				v.text += " " + p.Footnote(strconv.Itoa(k+1))
			}
		}
		for _, number := range marks.Of(r.Workload) {
			v.text += " " + p.Footnote(strconv.Itoa(number))
		}
		verdict.cells = append(verdict.cells, v)
	}
	p.fitted([]*column{name, pattern, metric, a, halfA, b, halfB, changed, ci, verdict}, rowLegend(c)...)
}

// rowLegend explains the marks of the rows.
func rowLegend(c *model.Comparison) (parts []string) {
	if slices.ContainsFunc(c.Rows, func(r model.Row) bool { return r.Trust == model.Suspect }) {
		parts = append(parts, "! a suspect number on one side")
	}
	if slices.ContainsFunc(c.Rows, func(r model.Row) bool { return r.Verdict == model.Unusable }) {
		parts = append(parts, "( ) unusable: an invalid number on one side")
	}
	return parts
}

// findingMarks numbers the findings that people should read behind the notes of the rows, except for those that concern every
// row: the same number in every row carries no information.
func findingMarks(c *model.Comparison, notes int, all bool) words.Footnotes {
	var list words.Footnotes
	for _, f := range words.Readable(c.Findings, all) {
		n := words.Footnote{Finding: f}
		concerns := func(r model.Row) bool { return slices.Contains(f.Results, r.Workload) }
		if slices.ContainsFunc(c.Rows, concerns) && slices.ContainsFunc(c.Rows, func(r model.Row) bool { return !concerns(r) }) {
			notes++
			n.Number = notes
		}
		list = append(list, n)
	}
	return list
}

func (p *page) rowHalf(r model.Row, e model.Estimate) cell {
	return cell{text: p.Text(r.Metric.FormatWidth(r.Direction, e)), paint: term.Dim}
}

func (p *page) changeCell(r model.Row) cell {
	c := cell{text: string(r.Verdict)}
	switch r.Verdict {
	case model.Better:
		c.paint = term.Green
	case model.Worse, model.Unusable:
		c.paint = term.Red
	case model.Unclear:
		c.paint = term.Yellow
	}
	if r.Trust == model.Suspect {
		c.text += " !"
	}
	return c
}

// compareFindings writes the findings that people should read.
func (p *page) compareFindings(c *model.Comparison, marks words.Footnotes) {
	for _, n := range marks {
		p.footnote(n)
	}
	if p.verbose {
		p.others(c.Findings)
		return
	}
	p.excluded(c.Findings)
	if n := words.Unsaid(c.Findings); n > 0 {
		p.remark("·", term.Dim, units.FormatCount(n, "more remark")+" with --verbose")
	}
}

// goals writes the goals next to a label, and whether they were met.
func (p *page) goals(label string, goals []model.Goal) {
	for _, g := range goals {
		mark, paint := "?", term.Yellow
		switch g.Outcome {
		case model.Met:
			mark, paint = "✓", term.Green
		case model.Missed:
			mark, paint = "✗", term.Red
		}
		text := fmt.Sprintf("%s %s: %s: %s", p.Text(mark), g.Outcome, g.Text, g.Message)
		p.goal(label, p.sentence(text), paint)
		label = ""
		if g.Next != "" && !p.advised(g.Next) {
			p.next(g.Next)
		}
	}
}

// goal writes one goal, wrapped, next to its label.
func (p *page) goal(label, text string, paint term.Paint) {
	lead := p.Paint(term.Dim, label) + term.Pad(label, labelWidth)
	for i, l := range term.Wrap(text, p.width-labelWidth) {
		if i == 0 {
			word, rest, _ := strings.Cut(l, ":")
			l = p.Paint(paint, word) + ":" + rest
		}
		p.line(lead + l)
		lead = strings.Repeat(" ", labelWidth)
	}
}
