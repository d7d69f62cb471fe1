package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// everywhere reports whether a finding applies to all rows.
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

// Footnote is a finding that people should read. Number is 0 if it applies to every row, because
// the same number in every row carries no information.
type Footnote struct {
	model.Finding
	Number int
}

// Footnotes are in the order in which they are shown: worst first.
type Footnotes []Footnote

// FootnotesOf selects and numbers the findings to show, as Readable does.
func FootnotesOf(r *model.Report, all bool) Footnotes {
	var notes Footnotes
	for _, f := range Readable(r.Findings, all) {
		notes = append(notes, Footnote{Finding: f})
	}
	next := 1
	for i := range notes {
		if !everywhere(r, notes[i].Finding) {
			notes[i].Number = next
			next++
		}
	}
	return notes
}

// Readable returns the findings that people should read, worst first: those that call a number into
// question, what a short test would have measured instead and, with all, the other notes as well. Findings with the
// same words are merged into one that names everything they apply to, and a repeated next step is shown only once.
func Readable(findings []model.Finding, all bool) (list []model.Finding) {
	for _, severity := range []model.Severity{model.SeverityInvalid, model.SeverityWarning, model.SeverityNote} {
		for _, f := range findings {
			if f.Severity != severity || !all && !brief(f) {
				continue
			}
			i := slices.IndexFunc(list, func(o model.Finding) bool {
				return o.Severity == severity && o.Rule == f.Rule && o.Message == f.Message
			})
			if i < 0 {
				list = append(list, f)
				continue
			}
			list[i] = together(list[i], f)
		}
	}
	var said []string
	for i := range list {
		if slices.Contains(said, list[i].Next) {
			list[i].Next = ""
		}
		said = append(said, list[i].Next)
	}
	return list
}

// brief reports whether a brief report has a finding: a burst is part of it, since its rate is what other tools show.
func brief(f model.Finding) bool {
	return f.Severity == model.SeverityInvalid || f.Severity == model.SeverityWarning || f.Severity == model.SeverityNote && f.Rule == "sustained"
}

// together merges two findings with the same words; one that names no workload applies to all of
// them.
func together(f, o model.Finding) model.Finding {
	if f.Next == "" {
		f.Next = o.Next
	}
	if len(f.Results) == 0 || len(o.Results) == 0 {
		f.Results = nil
		return f
	}
	f.Results = slices.Clone(f.Results)
	for _, name := range o.Results {
		if !slices.Contains(f.Results, name) {
			f.Results = append(f.Results, name)
		}
	}
	return f
}

// passed returns how many checks passed: the same count in every form of a report.
func passed(findings []model.Finding) int { return count(findings, model.SeverityPassed) }

// Unsaid returns how many notes, and checks that could not be made, a brief report leaves out.
func Unsaid(findings []model.Finding) int {
	return count(slices.DeleteFunc(slices.Clone(findings), brief), model.SeverityNote) + count(findings, model.SeverityNotChecked)
}

func count(findings []model.Finding, severity model.Severity) (n int) {
	for _, f := range findings {
		if f.Severity == severity {
			n++
		}
	}
	return n
}

// Excluded returns the findings that say which burst credits are excluded, and which are not: this limits every number.
func Excluded(findings []model.Finding) (list []model.Finding) {
	for _, f := range findings {
		if f.Rule == "sustained" && (f.Severity == model.SeverityPassed || f.Severity == model.SeverityNotChecked) && len(f.Evidence) > 0 {
			list = append(list, f)
		}
	}
	return list
}

// Of returns the numbers of a workload's footnotes.
func (n Footnotes) Of(workload string) []int {
	var numbers []int
	for _, f := range n {
		if f.Number > 0 && slices.Contains(f.Results, workload) {
			numbers = append(numbers, f.Number)
		}
	}
	return numbers
}

// Tally counts the findings by severity: "✓ 14 checks passed", "! 1 warning", and with all names
// the rules that could not be checked.
func Tally(findings []model.Finding, all bool) []string {
	var parts []string
	for _, kind := range []struct {
		severity           model.Severity
		mark, one, several string
	}{
		{model.SeverityPassed, "✓", "check passed", "checks passed"}, {model.SeverityInvalid, "✗", "invalid", "invalid"},
		{model.SeverityWarning, "!", "warning", "warnings"}, {model.SeverityNote, "·", "note", "notes"},
		{model.SeverityNotChecked, "–", "not checked", "not checked"},
	} {
		var rules []string
		n := count(findings, kind.severity)
		for _, f := range findings {
			if f.Severity == kind.severity && !slices.Contains(rules, f.Rule) {
				rules = append(rules, f.Rule)
			}
		}
		if n == 0 {
			continue
		}
		noun := kind.one
		if n > 1 {
			noun = kind.several
		}
		part := fmt.Sprintf("%s %d %s", kind.mark, n, noun)
		if all && kind.severity == model.SeverityNotChecked {
			part += " (" + strings.Join(rules, ", ") + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return []string{"– nothing was checked"}
	}
	return parts
}
