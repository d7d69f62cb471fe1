package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// RenderSeveral prints several reports side by side: what each is about, and a table with the
// headline of each workload in each of them and, if there is a comparison with the first, the
// change. It fails only when w does.
func RenderSeveral(w io.Writer, reports []*model.Report, comparisons []*model.Comparison, o Options) error {
	p := newPage(o)
	for i, r := range reports {
		p.field(words.Letter(i), r.Run.Target.Place(), startWords(&r.Run), words.Storage(r.Run.Environment.Storage), r.Run.Note, strings.Join(r.Run.Labels.Words(), ", "), words.Belief(r))
	}
	p.blank()
	rows := words.SideBySide(reports)
	if len(rows) == 0 {
		p.line("no results")
		return p.flush(w)
	}
	name, pattern := &column{title: "workload"}, &column{title: "pattern"}
	for _, t := range rows {
		name.cells = append(name.cells, cell{text: p.Text(t.Name)})
		pattern.cells = append(pattern.cells, cell{text: p.Text(t.Description), paint: term.Dim})
	}
	patterns := true
	for first := 0; first < len(reports); {
		if first > 0 {
			p.blank()
		}
		// As many runs as fit, at least one; the next ones follow below.
		columns := []*column{name}
		next := first
		for ; next < len(reports); next++ {
			more := append(columns[:len(columns):len(columns)], p.ofRun(rows, reports, next, withFirst(reports, comparisons, next))...)
			if next > first && total(more) > p.width {
				break
			}
			columns = more
		}
		with := append([]*column{name, pattern}, columns[1:]...)
		if total(with) <= p.width {
			columns = with
		}
		p.table(columns)
		patterns = patterns && len(columns) == len(with)
		first = next
	}
	p.parts(p.severalLegend(rows, reports, pattern, patterns))
	for i, r := range reports {
		if len(r.Goals) > 0 {
			p.blank()
			p.goals(words.Letter(i)+" goals", r.Goals)
		}
	}
	p.blank()
	if len(comparisons) == 0 {
		p.remark("·", term.Plain, "Numbers side by side are not a verdict: loadline compare says which of two runs is better, and how certain that is.")
	} else {
		p.remark("·", term.Plain, "Changes are against A; loadline compare shows them for every metric, with their intervals.")
	}
	return p.flush(w)
}

// severalLegend explains the marks and stars of runs side by side, and names the column that does not fit.
func (p *page) severalLegend(rows []words.Together, reports []*model.Report, pattern *column, patterns bool) (parts []string) {
	seen := map[model.Verdict]bool{}
	for _, t := range rows {
		for _, res := range t.Results {
			if res != nil {
				seen[res.Verdict] = true
			}
		}
	}
	if seen[model.Suspect] || seen[model.Invalid] {
		parts = append(parts, "✓ valid")
	}
	if seen[model.Suspect] {
		parts = append(parts, "! suspect")
	}
	if seen[model.Invalid] {
		parts = append(parts, "✗ invalid")
	}
	for _, r := range reports {
		// Each run may have been asked for another precision.
		if star := words.Star(r); star != "" && !slices.Contains(parts, "* "+star) {
			parts = append(parts, "* "+star)
		}
	}
	if !patterns {
		parts = append(parts, p.leftOut([]*column{pattern}, nil))
	}
	return parts
}

// startWords returns when a run began; empty if unknown.
func startWords(run *model.RunInfo) string {
	if run.Began().IsZero() {
		return ""
	}
	return words.When(run.Began())
}

// withFirst returns the comparison of the i-th run with the first; nil if there is none.
func withFirst(reports []*model.Report, comparisons []*model.Comparison, i int) *model.Comparison {
	for _, c := range comparisons {
		if i > 0 && c.A.Same(&reports[0].Run) && c.B.Same(&reports[i].Run) {
			return c
		}
	}
	return nil
}

// ofRun returns the columns of one of several runs.
func (p *page) ofRun(rows []words.Together, reports []*model.Report, i int, c *model.Comparison) []*column {
	span := p.Text(fmt.Sprintf("%s %s", words.Letter(i), reports[i].Run.Target.Place()))
	value, width, mark := &column{title: "result", numeric: true, span: span}, &column{title: words.Confidence(reports[i].Results), numeric: true, span: span}, &column{span: span}
	change, verdict := &column{title: "change", numeric: true, span: span}, &column{span: span}
	for _, t := range rows {
		res := t.Results[i]
		changed, decided := cell{}, cell{}
		if res == nil {
			value.cells = append(value.cells, cell{text: p.Text("–"), paint: term.Dim})
			width.cells, mark.cells = append(width.cells, cell{}), append(mark.cells, cell{})
		} else {
			bad := res.Verdict == model.Invalid
			value.cells = append(value.cells, p.number(res.Metric.FormatOf(res.Direction, res.Value), bad))
			width.cells = append(width.cells, p.halfWidth(*res, bad))
			sign := p.mark(*res, nil)
			if bad {
				// The parentheses already show the rest.
				sign.text = p.Text("✗")
			}
			mark.cells = append(mark.cells, sign)
			if row := rowOf(c, res); row != nil {
				changed, decided = p.number(words.Change(row.Ratio.Value, 1), row.Verdict == model.Unusable), p.changeCell(*row)
			}
		}
		change.cells, verdict.cells = append(change.cells, changed), append(verdict.cells, decided)
	}
	columns := []*column{value, width, mark}
	if c != nil {
		columns = append(columns, change, verdict)
	}
	return columns
}

// rowOf returns the row of a comparison for the headline of a result; nil if there is none.
func rowOf(c *model.Comparison, res *model.Result) *model.Row {
	if c == nil {
		return nil
	}
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Workload == res.Workload && r.Direction == res.Direction && r.Metric == res.Metric {
			return r
		}
	}
	return nil
}
