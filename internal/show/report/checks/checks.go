package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/words"
)

// outcome is the outcome of a check.
type outcome int

const (
	passed  outcome = iota
	failed          // a requirement is not met
	broken          // a number cannot be trusted, or was not measured
	skipped         // undecided, and not requested to fail
)

// check is one requirement that was checked.
type check struct {
	// kind is "goal", "result", "comparison" or "run".
	kind, name string
	outcome    outcome
	// verdict is the report's verdict, such as "worse"; message is a sentence.
	verdict, message string
	// seconds is the measured time it is based on; 0 if it has none of its own.
	seconds float64
}

// Suite contains the checks of one report or comparison.
type Suite struct {
	name   string
	run    *model.RunInfo
	checks []check
	// elapsed is how long what is checked took, in seconds, from the first start to the last end.
	elapsed float64
}

// Of lists the checks of reports and comparisons. failOn are the verdicts on a row that --fail-on
// names: an unclear row fails only if it is among them.
func Of(reports []*model.Report, comparisons []*model.Comparison, failOn []string) []Suite {
	var all []Suite
	for _, r := range reports {
		all = append(all, ofReport(r))
		if r.Comparison != nil && !slices.ContainsFunc(comparisons, r.Comparison.Same) {
			all = append(all, ofComparison(r.Comparison, failOn))
		}
	}
	for _, c := range comparisons {
		all = append(all, ofComparison(c, failOn))
	}
	for i := range all {
		s := &all[i]
		s.name = shown(s.name)
		for k := range s.checks {
			c := &s.checks[k]
			c.name, c.message = shown(c.name), shown(c.message)
		}
	}
	return all
}

// shown makes text safe for a line that others read.
func shown(text string) string { return safetext.Clean(secrets.MaskText(text)) }

// add adds a check.
func (s *Suite) add(kind, name string, o outcome, verdict, message string, seconds float64) {
	s.checks = append(s.checks, check{kind, name, o, verdict, message, seconds})
}

// ended adds a check if a run did not complete.
func (s *Suite) ended(name string, run *model.RunInfo) {
	if run.Status == model.Failed || run.Status == model.Interrupted {
		s.add("run", name, broken, string(run.Status), words.Ended(run.Status, run.Reason), 0)
	}
}

func ofReport(r *model.Report) Suite {
	s := Suite{name: r.Run.Target.Place(), run: &r.Run, elapsed: took(&r.Run)}
	s.ended("the run", &r.Run)
	for _, f := range r.Findings {
		if f.Severity == model.SeverityInvalid && len(f.Results) == 0 {
			s.add("run", f.Rule, broken, string(model.Invalid), f.Message, 0)
		}
	}
	for _, d := range r.Durability {
		if d.Broken() {
			s.add("run", "durability", broken, string(d.Result), d.Statement, 0)
		}
	}
	// judged is what the verdict on a result that is not invalid adds to a message.
	invalid, judged := map[string]bool{}, map[string]string{}
	for _, res := range r.Results {
		name := res.Workload + " " + string(res.Direction)
		value := res.Metric.FormatOf(res.Direction, res.Value) + within(res)
		if res.Verdict != model.Invalid {
			judged[name] = trusted(res.Verdict, r.Findings, res.Workload)
			s.add("result", name, passed, string(res.Verdict), value+judged[name], res.Seconds)
			continue
		}
		invalid[name] = true
		s.add("result", name, broken, string(res.Verdict), value+" is invalid"+words.Prefixed(": ", reasons(r, res.Workload)), res.Seconds)
	}
	for _, name := range unmeasured(r) {
		s.add("result", name, broken, "not measured", "it has no result"+words.Prefixed(": ", reasons(r, name)), 0)
	}
	for _, g := range r.Goals {
		of := g.Workload + " " + string(g.Direction)
		message := g.Message + judged[of] + words.Prefixed("; next: ", g.Next)
		o := map[model.Outcome]outcome{model.Met: passed, model.Missed: failed, model.Undecided: failed}[g.Outcome]
		if g.Outcome == model.Undecided && invalid[of] {
			o = broken
		}
		s.add("goal", g.Text, o, string(g.Outcome), message, 0)
	}
	return s
}

// unmeasured names the workloads of a run that have no result. Of imported ones, their source decides what it reports.
func unmeasured(r *model.Report) (names []string) {
	for _, w := range r.Run.Workloads {
		if r.Run.Imported == nil && !slices.ContainsFunc(r.Results, func(res model.Result) bool { return res.Workload == w.Name }) {
			names = append(names, w.Name)
		}
	}
	return names
}

// took is how long a run took, in seconds, with everything before and after its repeats; if its end is not known, how long it
// measured.
func took(r *model.RunInfo) float64 {
	if r.Started.IsZero() || !r.Finished.After(r.Started) {
		return r.MeasuredSeconds
	}
	return r.Finished.Sub(r.Started).Seconds()
}

// reasons returns what makes a workload's numbers invalid.
func reasons(r *model.Report, workload string) string {
	var list []string
	for _, f := range r.Findings {
		if f.Severity == model.SeverityInvalid && slices.Contains(f.Results, workload) {
			list = append(list, f.Message)
		}
	}
	return strings.Join(list, "; ")
}

func ofComparison(c *model.Comparison, failOn []string) Suite {
	s := Suite{name: c.A.Target.Place() + " → " + c.B.Target.Place(), run: &c.B, elapsed: took(&c.A) + took(&c.B)}
	if c.Method == model.Paired {
		// Both sides were measured at the same time.
		s.elapsed = max(took(&c.A), took(&c.B))
	}
	s.ended("the run of A", &c.A)
	s.ended("the run of B", &c.B)
	for _, r := range c.Rows {
		o := map[model.Change]outcome{model.Worse: failed, model.Unusable: broken, model.Unclear: skipped}[r.Verdict]
		if r.Verdict == model.Unclear && slices.Contains(failOn, "unclear") {
			o = failed
		}
		s.add("comparison", words.RowName(c, r)+" "+string(r.Metric), o, string(r.Verdict), rowWords(c, r), 0)
	}
	return s
}

// rowWords returns, for example, "worse: 4.95 ms → 6.78 ms, +37% [+12%, +66%], margin ±10%; suspect: size".
func rowWords(c *model.Comparison, r model.Row) string {
	said := fmt.Sprintf("%s: %s → %s", r.Verdict, r.Metric.FormatOf(r.Direction, r.A.Value), r.Metric.FormatOf(r.Direction, r.B.Value))
	if r.Verdict == model.Unusable {
		return said + "; a number behind it is invalid, so nothing follows from it"
	}
	said += ", " + words.Change(r.Ratio.Value, 1) + " " + words.Interval(r.Ratio) + ", margin ±" + words.Percent(r.Margin) + trusted(r.Trust, c.Findings, r.Workload)
	if r.Needed > 0 {
		said += fmt.Sprintf("; about %d blocks would probably settle it", r.Needed)
	}
	return said
}

// trusted returns the verdict on a workload's numbers and the rules that warn of them: "; valid", "; suspect: size, cpu". A
// comparison warns of valid numbers, too, when its sides are not comparable: "; valid; warning: not-comparable".
func trusted(v model.Verdict, findings []model.Finding, workload string) string {
	if v == "" {
		return "; not checked"
	}
	var rules []string
	for _, f := range findings {
		concerns := len(f.Results) == 0 || slices.Contains(f.Results, workload)
		if f.Severity == model.SeverityWarning && concerns && !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	lead := ": "
	if v == model.Valid {
		lead = "; warning: "
	}
	return "; " + string(v) + words.Prefixed(lead, strings.Join(rules, ", "))
}

// within returns the interval of a result, in words.
func within(res model.Result) string {
	switch {
	case res.Confidence == 0:
		return ", without an interval"
	case res.Open:
		return fmt.Sprintf(" (%.0f %% CI [%s, no upper end])", res.Confidence*100, res.Metric.FormatOf(res.Direction, res.Low))
	}
	return fmt.Sprintf(" (%.0f %% CI %s)", res.Confidence*100, res.Metric.FormatBounds(res.Direction, res.Estimate))
}

// counts returns the number of checks with each outcome.
func counts(suites ...Suite) (n [4]int) {
	for _, s := range suites {
		for _, c := range s.checks {
			n[c.outcome]++
		}
	}
	return n
}
