package words

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// Speed says in a sentence how fast the storage was: the highest rates of each kind, and the
// latency of a single I/O. Invalid numbers are left out.
func Speed(r *model.Report) string {
	access := map[string]model.Access{}
	for _, w := range r.Run.Workloads {
		access[w.Name] = w.Access
	}
	fast := func(a model.Access, d model.Direction, m model.Metric) *model.Result {
		var best *model.Result
		for i := range r.Results {
			res := &r.Results[i]
			if access[res.Workload] != a || res.Direction != d || res.Metric != m || res.Verdict == model.Invalid || !number(res.Value) {
				continue
			}
			if best == nil || (res.Value > best.Value) != m.LowerIsBetter() {
				best = res
			}
		}
		return best
	}
	var parts []string
	for _, k := range []struct {
		access    model.Access
		direction model.Direction
		metric    model.Metric
		words     string
	}{
		{model.Random, model.Read, model.IOPS, "random reads reach"}, {model.Random, model.Write, model.IOPS, "random writes"},
		{model.Sequential, model.Read, model.Bandwidth, "sequential reads"}, {model.Sequential, model.Write, model.Bandwidth, "sequential writes"},
		{model.Random, model.Read, model.Latency, "a single read takes"}, {model.Random, model.Write, model.Latency, "a single write"},
	} {
		if res := fast(k.access, k.direction, k.metric); res != nil {
			parts = append(parts, k.words+" "+headline(res))
		}
	}
	named := len(parts) == 0 && r.Sweep == nil // a workload's name keeps its letters
	if named {
		for _, res := range r.Results[:min(3, len(r.Results))] {
			if res.Verdict != model.Invalid && number(res.Value) {
				parts = append(parts, res.Workload+" "+headline(&res))
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	sentence := strings.Join(parts, ", ") + "."
	if !named {
		sentence = strings.ToUpper(sentence[:1]) + sentence[1:]
	}
	return sentence
}

// headline returns, for example, "21.4k IOPS ±2.1%".
func headline(res *model.Result) string {
	words := res.Metric.FormatOf(res.Direction, res.Value)
	width := res.Metric.FormatWidth(res.Direction, res.Estimate)
	switch {
	case width == "–":
		return words
	case res.Open:
		return words + " (" + width + ")"
	}
	return words + " " + width
}

// Belief says in sentences whether the numbers of a run can be trusted, and whether the run
// completed.
func Belief(r *model.Report) string {
	verdicts := map[model.Verdict]int{}
	wide, brief, bare := open(r)
	for _, res := range r.Results {
		verdicts[res.Verdict]++
	}
	severities := map[model.Severity]int{}
	whole := false
	for _, f := range r.Findings {
		severities[f.Severity]++
		whole = whole || f.Severity == model.SeverityInvalid && len(f.Results) == 0
	}
	checks := units.FormatCount(passed(r.Findings), "check") + " passed"
	if n := severities[model.SeverityNotChecked]; n > 0 {
		checks += fmt.Sprintf(", %d could not be made", n)
	}
	all := units.FormatCount(len(r.Results), "number")
	share := func(n int, things string) string {
		switch {
		case n == len(r.Results) && n == 1:
			return "the only number is"
		case n == len(r.Results) && n == 2:
			return "both " + strings.TrimPrefix(things, "2 ") + " are"
		case n == len(r.Results):
			return "all " + things + " are"
		case n == 1:
			return "1 of " + things + " is"
		}
		return fmt.Sprintf("%d of %s are", n, things)
	}
	var answer string
	switch bad, unsure := verdicts[model.Invalid], verdicts[model.Suspect]; {
	case len(r.Results) == 0 && len(r.Scales) > 0:
		answer = "See the table for the points."
	case len(r.Results) == 0:
		answer = "Nothing was measured."
	case bad > 0:
		answer = fmt.Sprintf("Not trustworthy as a whole: %s invalid; %s.", share(bad, all), checks)
	case whole:
		answer = fmt.Sprintf("Not trustworthy: the run as a whole is invalid; %s.", checks)
	case unsure > 0:
		answer = fmt.Sprintf("To be used with care: %s suspect; %s.", share(unsure, all), checks)
	case wide+bare > 0:
		answer = fmt.Sprintf("Valid, but %s not shown to be within the ±%s that was requested; %s.", share(wide+bare, all), Asked(r.Run.Schedule.Precision), checks)
	case brief > 0:
		answer = fmt.Sprintf("Valid, but %s based on too short a time to rely on the interval; %s.", share(brief, all), checks)
	default:
		answer = fmt.Sprintf("Valid: %s, as precise as was requested; %s.", all, checks)
	}
	if ended := Ended(r.Run.Status, r.Run.Reason); ended != "" {
		answer = ended + " " + answer
	}
	return answer
}

// Ended says how a run ended that did not complete; "" for a complete one.
func Ended(status model.Status, reason string) string {
	words := map[model.Status]string{model.Running: "The run was cut off", model.Interrupted: "The run was interrupted", model.Failed: "The run failed"}[status]
	if words == "" {
		return ""
	}
	return words + Prefixed(": ", strings.TrimSuffix(reason, ".")) + "."
}

// Better says in a sentence how B compares with A.
func Better(c *model.Comparison) string {
	count := map[model.Change]int{}
	for _, row := range c.Rows {
		count[row.Verdict]++
	}
	if len(c.Rows) == 0 {
		return "Nothing was compared."
	}
	rows := units.FormatCount(len(c.Rows), "row")
	var decided []string
	for _, v := range []model.Change{model.Better, model.Worse, model.Same} {
		word := string(v)
		if v == model.Same {
			word = "the same"
		}
		if count[v] > 0 {
			decided = append(decided, word+" in "+strconv.Itoa(count[v]))
		}
	}
	parts := []string{"inconclusive, with none of " + rows + " decided"}
	if len(decided) > 0 {
		parts = []string{strings.Join(decided, ", ") + " of " + rows}
	}
	for _, v := range []model.Change{model.Unclear, model.Unusable} {
		switch n := count[v]; {
		case n == 1:
			parts = append(parts, "1 is "+string(v))
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d are %s", n, v))
		}
	}
	sentence := "B against A: " + strings.Join(parts, "; ") + "."
	if !c.Comparable {
		sentence += " They are not comparable: a change cannot be attributed to the storage alone."
	}
	return sentence
}

// GoalsMet counts the goals: "2 of 3 goals met; 1 missed"; "" without goals.
func GoalsMet(goals []model.Goal) string {
	if len(goals) == 0 {
		return ""
	}
	n := map[model.Outcome]int{}
	for _, g := range goals {
		n[g.Outcome]++
	}
	words := fmt.Sprintf("%d of %s met", n[model.Met], units.FormatCount(len(goals), "goal"))
	for _, o := range []model.Outcome{model.Missed, model.Undecided} {
		if n[o] > 0 {
			words += fmt.Sprintf("; %d %s", n[o], o)
		}
	}
	return words + "."
}

// Command returns a command line as it would be typed.
func Command(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = safetext.ShellWord(a)
	}
	return strings.Join(quoted, " ")
}

// Together is one workload in one direction across several runs.
type Together struct {
	Name, Description string
	// Results has one entry for each run; nil if the run has no result.
	Results []*model.Result
}

// SideBySide groups the results of several runs by workload and direction, in the order of their
// first appearance.
func SideBySide(reports []*model.Report) []Together {
	type key struct {
		workload  string
		direction model.Direction
	}
	var rows []Together
	index := map[key]int{}
	for i, r := range reports {
		for k := range r.Results {
			res := &r.Results[k]
			at, seen := index[key{res.Workload, res.Direction}]
			if !seen {
				at = len(rows)
				index[key{res.Workload, res.Direction}] = at
				rows = append(rows, Together{ResultName(r, *res), res.Description, make([]*model.Result, len(reports))})
			}
			rows[at].Results[i] = cmp.Or(rows[at].Results[i], res)
		}
	}
	return rows
}

// Letter names the i-th of several runs: A, B … Z, A2 …
func Letter(i int) string {
	letter := string(rune('A' + i%26))
	if i >= 26 {
		letter += strconv.Itoa(i/26 + 1)
	}
	return letter
}
