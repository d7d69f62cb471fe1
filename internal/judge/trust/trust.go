// Package trust judges whether measured numbers can be trusted. Its assumptions: a rule is a predicate
// on evidence; if the evidence is missing, the outcome is "not checked", never a pass; bounds of
// intervals are compared, not their middles, so noise alone is never flagged; and every finding names
// its cause and what to do next. There is one file per rule, and one line of registration in rules.go.
package trust

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// Evidence is the input of the rules: what was recorded, and the results of its analysis.
type Evidence struct {
	Recorded *model.Recorded
	Results  []model.Result
	// Baseline is the storage that the target is built on, measured the same way; nil if there is none.
	// A target on its own disks has no baseline in this sense, whatever else it is compared with.
	Baseline *Side

	// series and regimes are computed once for all rules.
	series  []series
	regimes []regime
}

// Side is another measurement to compare with.
type Side struct {
	// Name is its display name.
	Name    string
	Results []model.Result
	Storage model.Storage
	// Cap is its provisioned limit.
	Cap model.Cap
}

// Check runs every rule. The findings are in the order of the rules; each rule gives at least one,
// except those that do not apply to the run: rules about imported numbers, several volumes, a storage
// system's replicas, applications, servers that existed before, or storage that is loaded directly.
func Check(ev Evidence) []model.Finding {
	if ev.Recorded == nil {
		ev.Recorded = &model.Recorded{}
	}
	ev.series, ev.regimes = ev.gather()
	var findings []model.Finding
	for _, r := range Rules() {
		if !ev.applies(r) {
			continue
		}
		for _, f := range r.check(ev) {
			f.Rule = r.Name
			findings = append(findings, f)
		}
	}
	return findings
}

// Apply sets each result's verdict and the names of the rules that found something: an invalid finding
// makes the result invalid, a warning suspect. A finding that names no results concerns all of them.
func Apply(results []model.Result, findings []model.Finding) {
	for i := range results {
		r := &results[i]
		r.Verdict, r.Findings = model.Valid, []string{}
		for _, f := range findings {
			if len(f.Results) > 0 && !slices.Contains(f.Results, r.Workload) {
				continue
			}
			switch f.Severity {
			case model.SeverityInvalid:
				r.Verdict = model.Invalid
			case model.SeverityWarning:
				if r.Verdict == model.Valid {
					r.Verdict = model.Suspect
				}
			case model.SeverityNote:
			default:
				continue
			}
			if !slices.Contains(r.Findings, f.Rule) {
				r.Findings = append(r.Findings, f.Rule)
			}
		}
	}
}
