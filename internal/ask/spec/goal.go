package spec

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/model/units"
)

// goalForm says how to write a goal.
const goalForm = "write it like 'rand-read-iops iops > 60k', 'seq-read-bw bandwidth > 500MiB/s' or 'rand-read-lat p99 < 5ms'"

// goalMetrics are the names of metrics, in listing order.
var goalMetrics = []struct {
	word   string
	metric model.Metric
}{
	{"iops", model.IOPS}, {"bandwidth", model.Bandwidth}, {"bw", model.Bandwidth}, {"latency", model.Latency}, {"lat", model.Latency},
	{"tps", model.Transactions}, {"p50", model.P50}, {"p90", model.P90}, {"p99", model.P99}, {"p99.9", model.P999}, {"p99.99", model.P9999},
}

// counts reports whether results of a workload in a direction have the metric: an application's results
// count transactions instead of I/Os and bytes.
func counts(w model.Workload, d model.Direction, m model.Metric) bool {
	switch m {
	case model.Transactions:
		return w.Loads() && d != model.Sync
	case model.IOPS, model.Bandwidth:
		return !w.Loads() || d == model.Sync
	}
	return true
}

// ParseGoal parses "WORKLOAD [DIRECTION] METRIC >|< VALUE" for one of the given workloads. The
// direction is required only if a workload has several. IOPS are plain numbers or end in k or M,
// bandwidths are sizes per second, latencies need a unit of time.
func ParseGoal(text string, workloads []model.Workload) (model.Goal, error) {
	g := model.Goal{Text: strings.Join(strings.Fields(text), " ")}
	refuse := func(hint, format string, args ...any) (model.Goal, error) {
		return g, model.RefusedError(fmt.Sprintf("--goal %q: ", text)+fmt.Sprintf(format, args...), hint)
	}
	words, right, above, err := goalParts(text)
	if err != nil {
		return g, err
	}
	g.Above = above
	w, unknown := goalWorkload(words[0], workloads)
	if unknown != "" {
		return refuse("the run has "+strings.Join(workloadNames(workloads), ", "), "%s", unknown)
	}
	g.Workload = w.Name
	directions := w.Directions()
	if w.Sync != "" || apps.Of(w).FlushTimes {
		directions = append(directions, model.Sync)
	}
	g.Direction = directions[0]
	if len(words) == 3 {
		if g.Direction = model.Direction(words[1]); !containsDirection(directions, g.Direction) {
			return refuse(goalForm, "%s has no direction %q: it has %s", w.Name, words[1], joinDirections(directions))
		}
	} else if w.Direction == model.Mixed {
		return refuse(fmt.Sprintf("write %q or %q", w.Name+" read "+words[1]+" …", w.Name+" write "+words[1]+" …"), "%s reads and writes: say which", w.Name)
	}
	word := words[len(words)-1]
	var known []string
	for _, m := range goalMetrics {
		if !counts(w, g.Direction, m.metric) {
			continue
		}
		known = append(known, m.word)
		if strings.EqualFold(m.word, word) {
			g.Metric = m.metric
		}
	}
	if g.Metric == "" {
		message := fmt.Sprintf("there is no metric %q", word) + suggest.Question(word, known)
		return refuse("choose one of "+strings.Join(known, ", "), "%s", message)
	}
	if g.Direction == model.Sync && g.Metric == model.Bandwidth {
		return refuse(goalForm, "a flush moves no bytes, so it has no bandwidth")
	}
	bound, why := goalBound(g.Metric, strings.TrimSpace(right))
	if why != "" {
		return refuse(goalForm, "%s", why)
	}
	g.Bound = bound
	return g, nil
}

// goalParts splits a goal into the words before its sign, and the bound after it.
func goalParts(text string) (words []string, bound string, above bool, err error) {
	left, right, sign := cutSign(text)
	words = strings.Fields(left)
	switch {
	case sign == "":
		err = model.RefusedError(fmt.Sprintf("--goal %q: a > or < is missing", text), goalForm)
	case len(words) < 2 || len(words) > 3:
		err = model.RefusedError(fmt.Sprintf("--goal %q: a workload and a metric must stand before the %s", text, sign), goalForm)
	default:
		above = sign[0] == '>'
	}
	return words, right, above, err
}

// CheckGoal refuses what cannot be a goal of any run: its workload is not looked up.
func CheckGoal(text string) error {
	words, bound, _, err := goalParts(text)
	if err != nil {
		return err
	}
	word, known := words[len(words)-1], []string(nil)
	for _, m := range goalMetrics {
		if known = append(known, m.word); strings.EqualFold(m.word, word) {
			if _, why := goalBound(m.metric, strings.TrimSpace(bound)); why != "" {
				return model.RefusedError(fmt.Sprintf("--goal %q: %s", text, why), goalForm)
			}
			return nil
		}
	}
	return model.RefusedError(fmt.Sprintf("--goal %q: there is no metric %q", text, word)+suggest.Question(word, known), "choose one of "+strings.Join(known, ", "))
}

// cutSign splits at >, <, >= or <=; the equals sign makes no difference, because no estimate equals a
// bound exactly.
func cutSign(text string) (left, right, sign string) {
	i := strings.IndexAny(text, "<>")
	if i < 0 {
		return text, "", ""
	}
	n := 1
	if strings.HasPrefix(text[i+1:], "=") {
		n = 2
	}
	return text[:i], text[i+n:], text[i : i+n]
}

// goalWorkload returns the workload, or what is wrong.
func goalWorkload(name string, workloads []model.Workload) (model.Workload, string) {
	for _, w := range workloads {
		if w.Name == name {
			return w, ""
		}
	}
	message := fmt.Sprintf("the run has no workload %q", name) + suggest.Question(name, workloadNames(workloads))
	return model.Workload{}, message
}

// goalBound returns the value in the metric's base unit, or what is wrong.
func goalBound(m model.Metric, s string) (bound float64, why string) {
	switch m.Unit() {
	case "1/s":
		bound, ok := parseCount(strings.TrimSuffix(s, "/s"))
		if !ok {
			return 0, fmt.Sprintf("%q is not a rate: write 60000, 60k or 1.2M%s", s, units.Plainly(units.CheckLead(s)))
		}
		return bound, ""
	case "B/s":
		n, err := units.ParseSize(strings.TrimSuffix(s, "/s"))
		if err != nil || n <= 0 {
			return 0, fmt.Sprintf("%q is not a bandwidth: write 500MiB/s or 1.2GiB/s%s", s, units.Plainly(units.CheckLead(s)))
		}
		return float64(n), ""
	}
	d, err := time.ParseDuration(strings.ReplaceAll(s, " ", ""))
	if err = cmp.Or(units.CheckLead(s), err); err != nil || d <= 0 {
		return 0, fmt.Sprintf("%q is not a duration: write 5ms, 200us or 1s%s", s, units.Plainly(err))
	}
	return d.Seconds(), ""
}

// parseCount parses "60000", "60k", "1.2M".
func parseCount(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	unit := 1.0
	for suffix, u := range map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6} {
		if t, ok := strings.CutSuffix(s, suffix); ok {
			s, unit = strings.TrimSpace(t), u
			break
		}
	}
	v, err := units.ParseDecimal(s)
	return v * unit, err == nil && v > 0 && v < 1e12
}

func workloadNames(workloads []model.Workload) []string {
	names := make([]string, len(workloads))
	for i, w := range workloads {
		names[i] = w.Name
	}
	return names
}

func containsDirection(list []model.Direction, d model.Direction) bool {
	for _, x := range list {
		if x == d {
			return true
		}
	}
	return false
}

func joinDirections(list []model.Direction) string {
	words := make([]string, len(list))
	for i, d := range list {
		words[i] = string(d)
	}
	return strings.Join(words, " and ")
}

// ParseGoals parses several goals.
func ParseGoals(texts []string, workloads []model.Workload) ([]model.Goal, error) {
	var goals []model.Goal
	for _, text := range texts {
		g, err := ParseGoal(text, workloads)
		if err != nil {
			return nil, err
		}
		goals = append(goals, g)
	}
	return goals, nil
}
