package text

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/term"
)

// RenderComparison prints a comparison: the two sides, what they have in common
// and in what they differ, a row per workload and metric with its verdict, and
// what would settle what is unclear. It fails only when w does.
func RenderComparison(w io.Writer, c *model.Comparison, o Options) error {
	p := newPage(o)
	if !o.Brief {
		p.sides(c)
	}
	p.common(c)
	p.blank()
	notes := rowNotes(c)
	p.rows(c, notes)
	p.blank()
	for i, n := range notes {
		p.remark(p.Footnote(strconv.Itoa(i+1)), term.Plain, n.text)
	}
	p.compareFindings(c)
	p.field("verdict", verdictWords(c)...)
	if c.Directory != "" {
		p.field("saved", strings.TrimRight(c.Directory, "/")+"/")
	}
	return p.flush(w)
}

// CompareHead prints what a comparison is about to do, before it begins.
func CompareHead(w io.Writer, plans [2]model.Plan, envs [2]model.Environment, tools map[string]string, o Options) error {
	p := newPage(o)
	a := &plans[0]
	s := a.Schedule
	seconds := plans[0].MeasureSeconds + plans[1].MeasureSeconds
	words := []string{fmt.Sprintf("%s × at least %s, each a visit of A and one of B in random order", count(len(a.Workloads), "workload"), count(s.MinRounds, "block")),
		"measuring " + fromTo(seconds, max(seconds, s.MaxTime))}
	if prefill := plans[0].PrefillSeconds + plans[1].PrefillSeconds; prefill > 0 {
		words = append(words, "prefill about "+model.FormatSpan(prefill))
	}
	p.field("plan", words...)
	for i := range plans {
		v := plans[i].Volume
		p.field(string([]model.Side{model.SideA, model.SideB}[i]), v.Target.Name, storageWords(envs[i].Storage), volumeWords(v), "writes "+writeWords(&plans[i]))
	}
	p.field("where", envs[0].Hostname, toolWords(tools), ioWords(a.Volume), prefixed("kernel ", envs[0].Kernel), machineWords(envs[0]))
	return p.flush(w)
}

// sides writes what A and B are.
func (p *page) sides(c *model.Comparison) {
	for _, s := range []struct {
		side model.Side
		run  *model.RunInfo
	}{{model.SideA, &c.A}, {model.SideB, &c.B}} {
		parts := []string{s.run.Target.Name, storageWords(s.run.Environment.Storage), s.run.Note}
		if c.Method == model.Independent {
			parts = append(parts, s.run.Started.Format("2006-01-02 15:04"), s.run.Directory)
		}
		p.field(string(s.side), parts...)
	}
}

// shortTraits are the common traits that a person wants to see; the document has
// all of them.
var shortTraits = []string{"fio", "fake", "host", "kind", "size", "engine", "direct", "filesystem", "kernel", "profile"}

// common writes what is the same and what differs.
func (p *page) common(c *model.Comparison) {
	var parts []string
	for _, name := range shortTraits {
		for _, t := range c.Common {
			if t.Name != name {
				continue
			}
			switch name {
			case "fio", "fake", "kernel", "profile":
				parts = append(parts, name+" "+t.Value)
			default:
				parts = append(parts, t.Value)
			}
		}
	}
	p.field("same", append(parts, blockWords(c))...)
	parts = nil
	for _, d := range c.Differences {
		words := d.Name + " " + d.A + " → " + d.B
		if d.Unlike {
			words += " (unlike!)"
		}
		parts = append(parts, words)
	}
	if len(parts) > 0 {
		p.field("differs", parts...)
	}
}

// blockWords is "4–9 blocks, interleaved", or "5 + 6 visits, not interleaved".
func blockWords(c *model.Comparison) string {
	if len(c.Rows) == 0 {
		return ""
	}
	least, most := c.Rows[0].Blocks, c.Rows[0].Blocks
	for _, r := range c.Rows {
		least, most = min(least, r.Blocks), max(most, r.Blocks)
	}
	words := strconv.Itoa(least)
	if most > least {
		words += "–" + strconv.Itoa(most)
	}
	if c.Method == model.Paired {
		return words + " blocks, interleaved"
	}
	return words + " visits or more, not interleaved"
}

// rowNote explains an unclear row; it may belong to several.
type rowNote struct {
	text string
	rows []int
}

// rowNotes gathers what would settle the unclear rows.
func rowNotes(c *model.Comparison) []rowNote {
	var notes []rowNote
	for i, r := range c.Rows {
		text := settleWords(c, r)
		if text == "" {
			continue
		}
		k := slices.IndexFunc(notes, func(n rowNote) bool { return n.text == text })
		if k < 0 {
			k = len(notes)
			notes = append(notes, rowNote{text: text})
		}
		notes[k].rows = append(notes[k].rows, i)
	}
	return notes
}

func settleWords(c *model.Comparison, r model.Row) string {
	if r.Verdict != model.Unclear {
		return ""
	}
	lead := ""
	if r.Adjusted < c.Alpha {
		lead = fmt.Sprintf("a change is certain (p %s), but not that it is more than ±%s; ", pWords(r.Adjusted), asked(r.Margin))
	}
	unit := "blocks"
	if c.Method == model.Independent {
		unit = "visits of each"
	}
	switch {
	case r.Needed > 0:
		return lead + fmt.Sprintf("about %d %s would narrow this to ±%s", r.Needed, unit, percent(r.Narrow))
	case r.Ratio.Confidence == 0:
		return lead + "one block is not enough to tell how sure this is"
	case r.P < c.Alpha && r.Adjusted >= c.Alpha:
		return fmt.Sprintf("p %s, but %s after Holm's correction for %d rows: choose fewer with --only, or measure more blocks", pWords(r.P), pWords(r.Adjusted), len(c.Rows))
	}
	flag := "--margin"
	if r.Metric == model.P99 {
		flag = "--margin-p99"
	}
	return lead + "the change is about as large as the margin: more measuring will not settle it, another " + flag + " will"
}

func pWords(p float64) string {
	switch {
	case p < 0.0001:
		return "< 0.0001"
	case p < 0.1:
		return strconv.FormatFloat(p, 'g', 2, 64)
	}
	return strconv.FormatFloat(p, 'f', 2, 64)
}

// rows writes the table.
func (p *page) rows(c *model.Comparison, notes []rowNote) {
	if len(c.Rows) == 0 {
		p.line("nothing to compare")
		return
	}
	name, pattern, metric := &column{title: "workload"}, &column{title: "pattern", drop: 1}, &column{title: "metric"}
	// Where space is short the two values go before the change and its interval do.
	a, halfA := &column{title: "A", numeric: true, drop: 3}, &column{title: p.Text("±95%"), numeric: true, drop: 2}
	b, halfB := &column{title: "B", numeric: true, drop: 4}, &column{title: p.Text("±95%"), numeric: true, drop: 2}
	changed, ci, verdict := &column{title: "change", numeric: true}, &column{title: "95% CI", numeric: true}, &column{title: "verdict"}
	last := ""
	for i, r := range c.Rows {
		bad := r.Verdict == model.Unusable
		words, description := r.Workload, r.Description
		if r.Direction == model.Sync || mixedRow(c, r) {
			words += " " + string(r.Direction)
		}
		if words == last {
			words, description = "", ""
		} else {
			last = words
		}
		name.cells = append(name.cells, cell{text: p.Text(words)})
		pattern.cells = append(pattern.cells, cell{text: p.Text(description), paint: term.Dim})
		metric.cells = append(metric.cells, cell{text: shortMetric(r.Metric)})
		a.cells = append(a.cells, p.number(model.FormatMetric(r.Metric, r.A.Value), bad))
		b.cells = append(b.cells, p.number(model.FormatMetric(r.Metric, r.B.Value), bad))
		halfA.cells, halfB.cells = append(halfA.cells, p.rowHalf(r.A)), append(halfB.cells, p.rowHalf(r.B))
		changed.cells = append(changed.cells, p.number(changeWords(r.Ratio.Value, 1), bad))
		ci.cells = append(ci.cells, cell{text: p.Text(intervalWords(r.Ratio)), paint: term.Dim})
		v := p.changeCell(r)
		for k, n := range notes {
			if slices.Contains(n.rows, i) {
				v.text += " " + p.Footnote(strconv.Itoa(k+1))
			}
		}
		verdict.cells = append(verdict.cells, v)
	}
	p.table(fit([]*column{name, pattern, metric, a, halfA, b, halfB, changed, ci, verdict}, p.width))
}

// mixedRow tells whether the workload's name does not tell the direction.
func mixedRow(c *model.Comparison, r model.Row) bool {
	return slices.ContainsFunc(c.Rows, func(o model.Row) bool {
		return o.Workload == r.Workload && o.Direction != r.Direction && o.Direction != model.Sync
	})
}

func shortMetric(m model.Metric) string {
	switch m {
	case model.IOPS, model.Bandwidth:
		return "rate"
	case model.Latency:
		return "mean"
	}
	return string(m)
}

func (p *page) rowHalf(e model.Estimate) cell {
	if e.Confidence == 0 || e.Value == 0 {
		return cell{text: p.Text("–"), paint: term.Dim}
	}
	return cell{text: percent(e.HalfWidth()), paint: term.Dim}
}

// changeWords is "+0.8%", "−12%", "×10.3" for a ratio.
func changeWords(ratio float64, decimals int) string {
	switch v := (ratio - 1) * 100; {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case ratio >= 10:
		return "×" + trimFloat(ratio, 0)
	case ratio >= 3:
		return "×" + trimFloat(ratio, 1)
	case math.Abs(v) >= 9.95:
		return signed(v, 0) + "%"
	default:
		return signed(v, decimals) + "%"
	}
}

// signed writes a number with its sign, and no sign on zero.
func signed(v float64, decimals int) string {
	s := trimFloat(math.Abs(v), decimals)
	switch zero, _ := strconv.ParseFloat(s, 64); {
	case zero == 0:
		return s
	case v < 0:
		return "−" + s
	}
	return "+" + s
}

// intervalWords is "[−1.0%, +2.6%]".
func intervalWords(e model.Estimate) string {
	if e.Confidence == 0 {
		return "–"
	}
	return "[" + changeWords(e.Low, 1) + ", " + changeWords(e.High, 1) + "]"
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
func (p *page) compareFindings(c *model.Comparison) {
	for _, severity := range []model.Severity{model.SeverityInvalid, model.SeverityWarning, model.SeverityNote} {
		for _, f := range c.Findings {
			if f.Severity == severity {
				p.footnote(footnote{Finding: f})
			}
		}
	}
}

// verdictWords counts the verdicts: "2 worse   3 same   1 unclear".
func verdictWords(c *model.Comparison) []string {
	var parts []string
	for _, v := range []model.Change{model.Worse, model.Better, model.Same, model.Unclear, model.Unusable} {
		n := 0
		for _, r := range c.Rows {
			if r.Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if len(parts) == 0 {
		return []string{"nothing was compared"}
	}
	margins := "margin ±" + asked(c.Margins.Rate)
	if c.Margins.P99 != c.Margins.Rate {
		margins += ", p99 ±" + asked(c.Margins.P99)
	}
	return append(parts, "("+margins+")")
}

// goals writes what was asked for and whether it was reached.
func (p *page) goals(goals []model.Goal) {
	label := "goals"
	for _, g := range goals {
		mark, paint := "?", term.Yellow
		switch g.Outcome {
		case model.Met:
			mark, paint = "✓", term.Green
		case model.Missed:
			mark, paint = "✗", term.Red
		}
		text := fmt.Sprintf("%s %s: %s: %s", p.Text(mark), g.Outcome, g.Text, g.Message)
		p.goal(label, p.Text(text), paint)
		label = ""
		if g.Next != "" {
			p.field("", "  next: "+g.Next)
		}
	}
}

// goal writes one goal, wrapped beside its label.
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
