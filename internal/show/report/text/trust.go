package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// trust writes the counts and the footnotes: what calls a number into question, and with --verbose
// all other findings.
func (p *page) trust(r *model.Report, notes words.Footnotes) {
	tally := words.Tally(r.Findings, false)
	if !p.verbose && words.Unsaid(r.Findings) > 0 {
		tally = append(tally, "(--verbose prints all)")
	}
	p.field("trust", tally...)
	for _, n := range notes {
		p.footnote(n)
	}
	if p.verbose {
		p.others(r.Findings)
		return
	}
	p.excluded(r.Findings)
}

// excluded writes which burst credits the measurement excludes, and which it does not.
func (p *page) excluded(findings []model.Finding) {
	for _, f := range words.Excluded(findings) {
		mark := "✓"
		if f.Severity == model.SeverityNotChecked {
			mark = "–"
		}
		p.remark(mark, term.Plain, f.Message)
	}
}

// others writes the checks that passed and those that could not be made.
func (p *page) others(findings []model.Finding) {
	for _, f := range findings {
		switch f.Severity {
		case model.SeverityPassed:
			p.remark("✓", term.Green, "passed: "+f.Rule+": "+f.Message+concerned(f.Results))
		case model.SeverityNotChecked:
			p.remark("–", term.Dim, "not checked: "+f.Rule+": "+f.Message+concerned(f.Results))
		}
	}
}

// mostNames is the maximum number of workloads that a finding names; the others are counted.
const mostNames = 6

// concerned names the workloads to which a finding applies: " (rand-read-iops, seq-read-bw)".
func concerned(names []string) string {
	switch {
	case len(names) == 0:
		return ""
	case len(names) > mostNames+1:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(names[:mostNames], ", "), len(names)-mostNames)
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// severities are the words at the beginning of footnotes, the same as on the page.
var severities = map[model.Severity]string{model.SeverityInvalid: "invalid: ", model.SeverityWarning: "warning: ", model.SeverityNote: "note: "}

// footnote writes a finding's severity and message, and the next step.
func (p *page) footnote(n words.Footnote) {
	mark, paint := "·", term.Plain
	switch n.Severity {
	case model.SeverityInvalid:
		mark, paint = "✗", term.Red
	case model.SeverityWarning:
		mark, paint = "!", term.Yellow
	}
	if n.Number > 0 {
		mark = p.Footnote(strconv.Itoa(n.Number))
	}
	indent := p.remark(mark, paint, severities[n.Severity]+n.Message)
	if n.Next == "" || p.advised(n.Next) {
		return
	}
	lead := indent + p.Paint(term.Dim, "next:") + " "
	for _, l := range term.WrapNext(p.sentence(n.Next), p.width-len(indent)-6) {
		p.line(lead + l)
		lead = indent + "      "
	}
}

// advised reports whether a next step was written before, and remembers it: the same command need not be read twice.
func (p *page) advised(next string) bool {
	if slices.Contains(p.steps, next) {
		return true
	}
	p.steps = append(p.steps, next)
	return false
}

// next writes the next step, indented without a label.
func (p *page) next(text string) {
	for _, l := range term.WrapNext("next: "+p.sentence(text), p.width-labelWidth) {
		p.line(strings.Repeat(" ", labelWidth) + l)
	}
}

// remark writes a mark and a text, wrapped with a hanging indent, and returns the indent of its
// lines.
func (p *page) remark(mark string, paint term.Paint, text string) (indent string) {
	mark = p.Text(mark)
	indent = strings.Repeat(" ", 2+max(2, term.Columns(mark)+1))
	lead := "  " + p.Paint(paint, mark) + strings.Repeat(" ", len(indent)-2-term.Columns(mark))
	for _, l := range term.Wrap(p.sentence(text), p.width-len(indent)) {
		p.line(lead + l)
		lead = indent
	}
	return indent
}
