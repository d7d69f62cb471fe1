package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// everywhere reports whether a finding concerns all rows.
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

// faulted reports whether a rule found a fault anywhere: then its passes for other
// workloads are not counted as a check that passed.
func faulted(findings []model.Finding, rule string) bool {
	return slices.ContainsFunc(findings, func(f model.Finding) bool {
		return f.Rule == rule && (f.Severity == model.SeverityInvalid || f.Severity == model.SeverityWarning)
	})
}

// Footnote is a finding that people should read. Number is 0 when it concerns
// every row, because the same number in every row tells nothing.
type Footnote struct {
	model.Finding
	Number int
}

// Footnotes are in the order in which they are shown: worst first.
type Footnotes []Footnote

// FootnotesOf chooses the findings to show and numbers them.
func FootnotesOf(r *model.Report) Footnotes {
	var notes Footnotes
	for _, f := range Readable(r.Findings) {
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

// Readable are the findings that people should read, worst first.
func Readable(findings []model.Finding) (list []model.Finding) {
	for _, severity := range []model.Severity{model.SeverityInvalid, model.SeverityWarning, model.SeverityNote} {
		for _, f := range findings {
			if f.Severity == severity {
				list = append(list, f)
			}
		}
	}
	return list
}

// Excluded is the pass that says how large a credit or cache there can still be, "" when
// nothing was looked at: what was not looked at is a limit of every number.
func Excluded(findings []model.Finding) string {
	for _, f := range findings {
		if f.Rule == "sustained" && f.Severity == model.SeverityPassed && len(f.Evidence) > 0 {
			return f.Message
		}
	}
	return ""
}

// Of lists the numbers of a workload's footnotes.
func (n Footnotes) Of(workload string) []int {
	var numbers []int
	for _, f := range n {
		if f.Number > 0 && slices.Contains(f.Results, workload) {
			numbers = append(numbers, f.Number)
		}
	}
	return numbers
}

// Tally counts the findings by severity: "✓ 14 checks passed", "! 1 warning".
func Tally(findings []model.Finding) []string {
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
		n := 0
		for _, f := range findings {
			if f.Severity != kind.severity || (kind.severity == model.SeverityPassed && faulted(findings, f.Rule)) {
				continue
			}
			n++
			if !slices.Contains(rules, f.Rule) {
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
		if kind.severity == model.SeverityNotChecked {
			part += " (" + strings.Join(rules, ", ") + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return []string{"– nothing was checked"}
	}
	return parts
}
