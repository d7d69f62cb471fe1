// Package markdown writes a report for an issue or a pull request. Its assumptions: the answer comes
// first, in a sentence; then the table, what is wrong with it, and, folded, everything needed to
// repeat it. A path, a note or a tool's error may contain anything: it is shown as text, and can
// neither break a table nor close the fold nor mention anybody.
package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/words"
)

// Render writes a report, or several side by side. It fails only when w does.
func Render(w io.Writer, reports ...*model.Report) error {
	var p page
	switch len(reports) {
	case 0:
		p.para("Nothing to report.")
	case 1:
		p.report(reports[0])
	default:
		p.several(reports)
	}
	return p.flush(w)
}

// RenderComparison is Render for a comparison.
func RenderComparison(w io.Writer, c *model.Comparison) error {
	var p page
	p.comparison(c)
	return p.flush(w)
}

// RenderDurability is Render for a durability test.
func RenderDurability(w io.Writer, d *model.Durability) error {
	var p page
	p.durability(d)
	return p.flush(w)
}

// page collects paragraphs.
type page struct{ out strings.Builder }

// para writes a paragraph, separated from the previous one by a blank line.
func (p *page) para(text string) {
	if text == "" {
		return
	}
	if p.out.Len() > 0 {
		p.out.WriteByte('\n')
	}
	p.out.WriteString(text + "\n")
}

func (p *page) flush(w io.Writer) error {
	if _, err := io.WriteString(w, p.out.String()); err != nil {
		return fmt.Errorf("the report could not be written: %w", err)
	}
	return nil
}

// fold begins a collapsed section and returns a function that ends it.
func (p *page) fold(summary string) (end func()) {
	p.para("<details>\n<summary>" + summary + "</summary>")
	return func() { p.para("</details>") }
}

// table writes a table; a column whose title ends with ":" is aligned right. Cells must already be
// escaped.
func (p *page) table(titles []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	heads, rules := make([]string, len(titles)), make([]string, len(titles))
	for i, t := range titles {
		rules[i] = "---"
		if name, right := strings.CutSuffix(t, ":"); right {
			t, rules[i] = name, "--:"
		}
		heads[i] = t
	}
	line(heads)
	line(rules)
	for _, row := range rows {
		line(row)
	}
	p.para(strings.TrimRight(b.String(), "\n"))
}

// facts writes a table of two columns without headings; empty facts are left out.
func (p *page) facts(rows [][2]string) {
	var kept [][]string
	for _, row := range rows {
		if row[1] != "" {
			kept = append(kept, []string{row[0], row[1]})
		}
	}
	p.table([]string{"", ""}, kept)
}

// report writes a whole report.
func (p *page) report(r *model.Report) {
	if r.Ranking != nil {
		p.ranking(r)
		return
	}
	p.para("### " + placed(&r.Run))
	p.sentences(r)
	notes := words.FootnotesOf(r, true)
	p.numbers(r, notes)
	p.goals(r.Goals)
	p.findings(r, notes)
	p.budgets(r.Budgets)
	if r.Comparison != nil {
		p.comparison(r.Comparison)
	}
	for i := range r.Durability {
		p.durability(&r.Durability[i])
	}
	p.details(r)
}

// placed returns the heading for a run: what was measured, and where.
func placed(run *model.RunInfo) string {
	return title(run.Target.Place()) + prefixed(" on ", inline(words.Where(run)))
}

// title returns a heading: the target, or a phrase if it has no name.
func title(target string) string {
	if plain(target) == "" {
		return "Loadline report"
	}
	return code(target)
}

// sentences writes the answers.
func (p *page) sentences(r *model.Report) {
	lead := "**" + inline(words.Belief(r)) + "**"
	for _, s := range []string{words.GoalsMet(r.Goals), words.Speed(r)} {
		if s != "" {
			lead += " " + inline(s)
		}
	}
	p.para(lead)
	if r.Run.Note != "" {
		p.para("Note: " + inline(r.Run.Note))
	}
	if labels := r.Run.Labels.Words(); len(labels) > 0 {
		p.para("Labels: " + codes(labels))
	}
}

// several writes runs side by side, and each of them folded below.
func (p *page) several(reports []*model.Report) {
	p.para(fmt.Sprintf("### %d runs side by side", len(reports)))
	var lines []string
	titles := []string{"workload", "pattern"}
	for i, r := range reports {
		letter := words.Letter(i)
		lines = append(lines, fmt.Sprintf("- **%s** %s %s: %s", letter, placed(&r.Run), startWords(&r.Run), inline(words.Belief(r))))
		titles = append(titles, letter+":", words.Confidence(r.Results)+":", "")
	}
	p.para(strings.Join(lines, "\n"))
	var rows [][]string
	for _, t := range words.SideBySide(reports) {
		row := []string{code(t.Name), inline(t.Description)}
		for _, res := range t.Results {
			if res == nil {
				row = append(row, "–", "", "")
				continue
			}
			row = append(row, value(res.Metric.FormatOf(res.Direction, res.Value), res.Verdict), half(res), mark(res.Verdict))
		}
		rows = append(rows, row)
	}
	p.table(titles, rows)
	p.para("Numbers side by side are not a verdict: `loadline compare` says which of two runs is better, and how certain that is.")
	for i, r := range reports {
		end := p.fold(words.Letter(i) + ": the whole report")
		p.report(r)
		end()
	}
}

// startWords returns, for example, "(2026-01-02 15:04 UTC)".
func startWords(run *model.RunInfo) string {
	if run.Began().IsZero() {
		return ""
	}
	return "(" + words.When(run.Began()) + ")"
}
