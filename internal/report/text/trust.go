package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/term"
)

// footnote is a finding that people should read. Number is 0 when it concerns
// every row, because the same number in every row tells nothing.
type footnote struct {
	model.Finding
	number int
}

// footnotes are in the order in which they are printed: worst first.
type footnotes []footnote

// number chooses the findings to print and numbers them.
func number(r *model.Report) footnotes {
	var notes footnotes
	for _, severity := range []model.Severity{model.SeverityInvalid, model.SeverityWarning, model.SeverityNote} {
		for _, f := range r.Findings {
			if f.Severity == severity {
				notes = append(notes, footnote{Finding: f})
			}
		}
	}
	next := 1
	for i := range notes {
		if !everywhere(r, notes[i].Finding) {
			notes[i].number = next
			next++
		}
	}
	return notes
}

// everywhere tells whether a finding concerns all rows.
func everywhere(r *model.Report, f model.Finding) bool {
	if len(f.Results) == 0 {
		return true
	}
	for _, res := range r.Results {
		if !slices.Contains(f.Results, res.Workload) {
			return false
		}
	}
	return len(r.Results) > 1 && len(r.Run.Workloads) <= len(f.Results)
}

// of lists the numbers of a workload's footnotes.
func (n footnotes) of(workload string) []int {
	var numbers []int
	for _, f := range n {
		if f.number > 0 && slices.Contains(f.Results, workload) {
			numbers = append(numbers, f.number)
		}
	}
	return numbers
}

// trust writes the counts and the footnotes.
func (p *page) trust(r *model.Report, notes footnotes) {
	var parts []string
	tally := func(severity model.Severity, mark, noun string, names bool) {
		var rules []string
		n := 0
		for _, f := range r.Findings {
			if f.Severity != severity || (severity == model.SeverityPassed && faulted(r.Findings, f.Rule)) {
				continue
			}
			n++
			if !slices.Contains(rules, f.Rule) {
				rules = append(rules, f.Rule)
			}
		}
		if n == 0 {
			return
		}
		part := mark + " " + strconv.Itoa(n) + " " + noun
		if n > 1 && strings.HasPrefix(noun, "check") {
			part = mark + " " + strconv.Itoa(n) + " checks" + strings.TrimPrefix(noun, "check")
		} else if n > 1 && (noun == "warning" || noun == "note") {
			part += "s"
		}
		if names {
			part += " (" + strings.Join(rules, ", ") + ")"
		}
		parts = append(parts, part)
	}
	tally(model.SeverityPassed, "✓", "check passed", false)
	tally(model.SeverityInvalid, "✗", "invalid", false)
	tally(model.SeverityWarning, "!", "warning", false)
	tally(model.SeverityNote, "·", "note", false)
	tally(model.SeverityNotChecked, "–", "not checked", true)
	if len(parts) == 0 {
		parts = []string{"– nothing was checked"}
	}
	p.field("trust", parts...)
	for _, n := range notes {
		p.footnote(n)
	}
}

// faulted tells whether a rule found a fault anywhere: then its passes for other
// workloads are not counted as a check that passed.
func faulted(findings []model.Finding, rule string) bool {
	return slices.ContainsFunc(findings, func(f model.Finding) bool {
		return f.Rule == rule && (f.Severity == model.SeverityInvalid || f.Severity == model.SeverityWarning)
	})
}

// footnote writes a finding's message and what to do next.
func (p *page) footnote(n footnote) {
	mark, paint := "·", term.Plain
	switch n.Severity {
	case model.SeverityInvalid:
		mark, paint = "✗", term.Red
	case model.SeverityWarning:
		mark, paint = "!", term.Yellow
	}
	if n.number > 0 {
		mark = p.Footnote(strconv.Itoa(n.number))
	}
	indent := p.remark(mark, paint, n.Message)
	if n.Next == "" {
		return
	}
	lead := indent + p.Paint(term.Dim, "next:") + " "
	for _, l := range term.Wrap(p.Text(n.Next), p.width-len(indent)-6) {
		p.line(lead + l)
		lead = indent + "      "
	}
}

// remark writes a mark and a text, wrapped under itself, and returns the indent
// of its lines.
func (p *page) remark(mark string, paint term.Paint, text string) (indent string) {
	mark = p.Text(mark)
	indent = strings.Repeat(" ", 2+max(2, term.Columns(mark)+1))
	lead := "  " + p.Paint(paint, mark) + strings.Repeat(" ", len(indent)-2-term.Columns(mark))
	for _, l := range term.Wrap(p.Text(text), p.width-len(indent)) {
		p.line(lead + l)
		lead = indent
	}
	return indent
}

// trimFloat writes v with the given number of decimals.
func trimFloat(v float64, decimals int) string {
	return fmt.Sprintf("%.*f", decimals, v)
}
