package cli

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// commandLine returns the command to change and type again: the command as it was understood or, for an
// experiment that was read (a Job's is in its pod), the equivalent command with flags.
func (o *options) commandLine(ctx context.Context, exp model.Experiment) model.CommandLine {
	// On the command line a script is a file, but an experiment contains its text.
	if o.experimentFile == "" || exp.App != nil && exp.App.Ask.Script != "" {
		return withoutPods(commandLine(ctx), exp)
	}
	c := experimentCommand(exp, o.places.Destroy)
	if o.experimentFile == kube.ExperimentPath {
		return c // typed by a Job: its folder is in its pod
	}
	for _, name := range besideExperiment {
		if len(c.Flags(name)) == 0 {
			c = append(c, commandLine(ctx).Flags(name)...)
		}
	}
	return withoutPods(c, exp)
}

// besideExperiment are flags for where to measure and to save that are no part of an experiment.
var besideExperiment = []string{"results", "namespace", "context", "kubeconfig", "image"}

// experimentVerb returns the words of the command that makes such an experiment.
func experimentVerb(exp model.Experiment) []string {
	if exp.App != nil {
		return []string{usage.App, exp.App.Name}
	}
	return strings.Fields(verbs[exp.Scenario])
}

// experimentCommand returns the command whose flags describe an experiment. Its files keep their
// names.
func experimentCommand(exp model.Experiment, destroy []string) model.CommandLine {
	c := append(model.CommandLine{"loadline"}, experimentVerb(exp)...)
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
		text("volumes", flags.Joined(r.Volumes, strconv.Itoa))
		text("workload", r.Workload)
		number("rate", r.Rate, "")
	}
	if r := exp.Sweep; r != nil {
		text("rw", r.Pattern)
		text("depth", flags.Joined(r.Depths, strconv.Itoa))
		text("bs", flags.Joined(r.BlockSizes, func(n int64) string { return strconv.FormatInt(n, 10) }))
		text("jobs", flags.Joined(r.Jobs, strconv.Itoa))
		truth("load", r.Load)
	}
	if exp.App != nil {
		if app, err := session.Applications().Lookup(exp.App.Name); err == nil {
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
	if exp.App == nil && (exp.Size > 0 || exp.MaxPrefill != usualPrefill(exp)) {
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
