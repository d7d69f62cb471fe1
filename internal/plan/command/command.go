// Package command writes an experiment as the command whose flags ask for it. Its assumptions: a
// command can be typed again, and then makes the same experiment; what a file contains belongs
// to the file that is named; permission to overwrite is given on each command line anew.
package command

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/internal/plan/scale"
	"github.com/loadline/loadline/internal/plan/sweep"
)

// verbs maps a scenario to the command that makes its experiments.
var verbs = map[string]string{profile.Name: "run", model.OnBaseline: "run", profile.Comparison: "compare", sweep.Name: "sweep", scale.Name: "scale", application.Scenario: "app postgres"}

// OfScenario returns the command that makes the experiments of a scenario.
func OfScenario(scenario string) (verb string, known bool) {
	verb, known = verbs[scenario]
	return verb, known
}

// Verb returns the words of the command that makes such an experiment.
func Verb(exp model.Experiment) []string {
	if exp.App != nil {
		return []string{"app", exp.App.Name}
	}
	return strings.Fields(verbs[exp.Scenario])
}

// Of returns the command whose flags describe an experiment, and permit overwriting what is to be destroyed. Its
// files keep their names; an application's flags are those of its entry in apps.
func Of(exp model.Experiment, destroy []string, apps application.List) model.CommandLine {
	c := append(model.CommandLine{"loadline"}, Verb(exp)...)
	if exp.Scenario == profile.Comparison && exp.App == nil {
		c = append(c, exp.Baseline)
	}
	c = append(c, exp.Target)
	text := func(flag, value string) {
		if value != "" {
			c = append(c, "--"+flag+"="+value)
		}
	}
	number := func(flag string, value float64, unit string) {
		if value != 0 {
			text(flag, strconv.FormatFloat(value, 'g', -1, 64)+unit)
		}
	}
	truth := func(flag string, value bool) {
		if value {
			c = append(c, "--"+flag)
		}
	}
	each := func(flag string, values []string) {
		for _, v := range values {
			text(flag, v)
		}
	}
	if r := exp.Scale; r != nil {
		c = append(c, r.Targets...)
		text("volumes", Joined(r.Volumes, strconv.Itoa))
		text("workload", r.Workload)
		number("rate", r.Rate, "")
	}
	if r := exp.Sweep; r != nil {
		text("rw", r.Pattern)
		text("depth", Joined(r.Depths, strconv.Itoa))
		text("bs", Joined(r.BlockSizes, func(n int64) string { return strconv.FormatInt(n, 10) }))
		text("jobs", Joined(r.Jobs, strconv.Itoa))
		truth("load", r.Load)
	}
	if exp.App != nil {
		if app, err := apps.Lookup(exp.App.Name); err == nil {
			c = append(c, app.CommandLine(exp.App)...)
		}
		text("image", exp.App.Image)
	}
	if exp.Profile != profile.Default && (exp.App == nil || !exp.App.Ask.OwnLoad()) {
		text("profile", exp.Profile)
	}
	text("job", exp.Job)
	text("only", strings.Join(exp.Only, ","))
	text("skip", strings.Join(exp.Skip, ","))
	if exp.Size > 0 {
		text("size", strconv.FormatInt(exp.Size, 10))
	}
	number("precision", exp.Precision, "")
	number("max-time", exp.MaxTime, "")
	if exp.App == nil && (exp.Size > 0 || exp.MaxPrefill != application.UsualPrefill(exp)) {
		number("max-prefill", exp.MaxPrefill, "")
	}
	number("time", exp.Time, "")
	number("ramp-time", exp.RampTime, "")
	truth("until-steady", exp.UntilSteady)
	number("repeat", float64(exp.Repeat), "")
	text("seed", strconv.FormatUint(exp.Seed, 10))
	text("cap", exp.Cap.String())
	number("replicas", float64(exp.Replicas), "")
	truth("check-cache", exp.CheckCache)
	text("note", exp.Note)
	each("label", exp.Labels.Words())
	each("goal", exp.Goals)
	if exp.Scenario == model.OnBaseline || exp.App != nil {
		text("baseline", exp.Baseline)
	}
	number("margin", exp.Margin, "")
	number("margin-p99", exp.MarginP99, "")
	text("fail-on", strings.Join(exp.FailOn, ","))
	each("destroy-data-on", destroy)
	return append(c, placementOptions(exp.Place)...)
}

// Joined writes a list as a flag takes it.
func Joined[V any](values []V, write func(V) string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = write(v)
	}
	return strings.Join(words, ",")
}

// placementOptions returns the flags that put workers where an experiment has them.
func placementOptions(p model.Placement) (c model.CommandLine) {
	for _, f := range []struct{ flag, value string }{
		{"hosts", strings.Join(p.Hosts, ",")}, {"access-mode", p.AccessMode}, {"node", p.Node}, {"node-selector", formatPairs(p.NodeSelector)},
		{"resources", formatPairs(p.Resources)}, {"pull-secret", p.PullSecret}, {"run-as-user", p.RunAsUser}, {"fs-group", p.FSGroup},
		{"selinux-level", p.SELinuxLevel}, {"spread", p.Spread},
	} {
		if f.value != "" {
			c = append(c, "--"+f.flag+"="+f.value)
		}
	}
	for _, t := range p.Tolerations {
		c = append(c, "--toleration="+t)
	}
	if p.ReadyWithin > 0 {
		c = append(c, "--ready-within="+time.Duration(p.ReadyWithin*float64(time.Second)).String())
	}
	for _, f := range []struct {
		flag string
		on   bool
	}{{"create", p.Create}, {"as-root", p.AsRoot}, {"keep", p.Keep}} {
		if f.on {
			c = append(c, "--"+f.flag)
		}
	}
	return c
}

// formatPairs formats NAME=VALUE pairs, sorted by name, as a flag takes them.
func formatPairs(m map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		words = append(words, name+"="+m[name])
	}
	return strings.Join(words, ",")
}
