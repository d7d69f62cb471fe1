// Package flags reads the values of flags, adds those that several commands share, knows what was
// typed, and shows flags in groups. Its assumptions: a flag's name means the same in every
// command; a number is written in plain digits; a value that cannot be right is refused when
// it is typed, with what to type instead.
package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/plan/application"
)

// Group is a group of a command's flags, as --help, the manual pages and docs/cli.md
// show them.
type Group struct {
	// Title is a few words, such as "How long".
	Title string
	// Flags are copies for display, in the order of the command.
	Flags []*pflag.Flag
	// folded is set if --help shows only the group's name.
	folded bool
}

// The titles of the groups.
const (
	What       = "What"
	HowLong    = "How long"
	Verdict    = "Verdict"
	Safety     = "Safety"
	Output     = "Output"
	Kubernetes = "Kubernetes"
	Other      = "Other"
)

// groupTitles are in display order.
var groupTitles = []string{What, HowLong, Verdict, Safety, Output, Kubernetes, Other}

// In returns the names of a group's flags, in whatever command, without those of applications.
func In(title string) []string { return slices.Clone(groupsOfFlags[title]) }

// Config is the flag that names a configuration file.
const Config = "config"

// groupsOfFlags maps a group to its flags. A flag name belongs to the same group in every command.
var groupsOfFlags = map[string][]string{
	What: {"profile", "job", "only", "skip", "size", "experiment", "baseline", "seed", "hosts", "trace", "amplification", "check-cache",
		"rw", "depth", "bs", "jobs", "load", "volumes", "workload", "rate",
		"scale",
		"sync", "cut", "cut-pid", "cuts", "restart", "resume", "writes", "blocks", "block-size",
		"device", "pid", "container", "pod", "cgroup", "method",
		"from", "like", "system", "need", "needs", "survive", "headroom", "nodes", "rebuild", "within", "snapshots", "throttle",
		"as", "same", "reference", "traced", "data-dir", "volume-access-mode", "test-mode", "rate-limit-type"},
	HowLong: {"time", "ramp-time", "precision", "max-time", "max-prefill", "repeat", "until-steady", "wait"},
	Verdict: {"goal", "margin", "margin-p99", "fail-on", "cap", "replicas"},
	Safety:  {"destroy-data-on", "create", "allow-programs", "overwrite", "force", "yes", "listen", "listen-all", "host", "port", "token"},
	Output:  {"output", "format", "json", "results", "into", "run", "note", "label", "show", "progress", "junit", "annotations", "push", "quiet", "verbose", "debug", "list"},
	Kubernetes: {"namespace", "all-namespaces", "context", "kubeconfig", "access-mode", "node", "node-selector", "toleration", "resources", "image", "worker-image",
		"pull-secret", "ready-within", "run-as-user", "fs-group", "selinux-level", "as-root", "spread", "client-node", "baseline-client-node", "keep", "in-cluster", "detach", "hold", "service-account"},
	Other: {Config, "help", HelpAll, "version"},
}

// GroupOf returns the group of a flag; "" if it has none. An application's own flags say what is measured,
// unless they are in another group.
func GroupOf(name string) string {
	for _, title := range groupTitles {
		if slices.Contains(groupsOfFlags[title], name) {
			return title
		}
	}
	if ofApplication(name) {
		return What
	}
	return ""
}

// ofApplication reports whether a flag is one of an application's own.
func ofApplication(name string) bool {
	return slices.ContainsFunc(session.Applications(), func(app application.Application) bool {
		return slices.ContainsFunc(slices.Concat(app.Flags, app.BaselineFlags), func(f application.Flag) bool { return f.Name == name })
	})
}

// longestGroup is the maximum number of Kubernetes flags that --help shows; a larger group is folded
// into one line.
const longestGroup = 6

// Groups returns the flags of a command that users may type, in groups.
func Groups(c *cobra.Command) []Group {
	groups := map[string]*Group{}
	c.InitDefaultHelpFlag()
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		title := GroupOf(f.Name)
		if title == "" {
			title = Other
		}
		shown := *f
		shown.Usage = strings.TrimPrefix(f.Usage, Kubernetes+": ")
		if groups[title] == nil {
			groups[title] = &Group{Title: title}
		}
		groups[title].Flags = append(groups[title].Flags, &shown)
	}
	c.LocalFlags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	var list []Group
	for _, title := range groupTitles {
		if g := groups[title]; g != nil {
			g.folded = title == Kubernetes && len(g.Flags) > longestGroup
			list = append(list, *g)
		}
	}
	return list
}

// Names returns the names of the flags of a command.
func Names(cmd *cobra.Command) (names []string) {
	for _, g := range Groups(cmd) {
		for _, f := range g.Flags {
			names = append(names, f.Name)
		}
	}
	return names
}
