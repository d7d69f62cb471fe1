package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/plan/application"
)

// FlagGroup is a group of a command's flags, as --help, the manual pages and docs/cli.md
// show them.
type FlagGroup struct {
	// Title is a few words, such as "How long".
	Title string
	// Flags are copies for display, in the order of the command.
	Flags []*pflag.Flag
	// folded is set if --help shows only the group's name.
	folded bool
}

// The titles of the groups, in display order.
const (
	groupWhat       = "What"
	groupHowLong    = "How long"
	groupVerdict    = "Verdict"
	groupSafety     = "Safety"
	groupOutput     = "Output"
	groupKubernetes = "Kubernetes"
	groupOther      = "Other"
)

var groupTitles = []string{groupWhat, groupHowLong, groupVerdict, groupSafety, groupOutput, groupKubernetes, groupOther}

// groupsOfFlags maps a group to its flags. A flag name belongs to the same group in every command.
var groupsOfFlags = map[string][]string{
	groupWhat: {"profile", "job", "only", "skip", "size", experimentFlag, "baseline", "seed", "hosts", "trace", "amplification", "check-cache",
		"rw", "depth", "bs", "jobs", "load", "volumes", "workload", "rate",
		"scale",
		"sync", "cut", "cut-pid", "cuts", "restart", "resume", "writes", "blocks", "block-size",
		"device", "pid", "container", "pod", "cgroup", "method",
		"from", "like", "system", "need", "needs", "survive", "headroom", "nodes", "rebuild", "within", "snapshots", "throttle",
		"as", "same", "reference", "traced", "data-dir", "volume-access-mode", "test-mode", "rate-limit-type"},
	groupHowLong: {"time", "ramp-time", "precision", "max-time", "max-prefill", "repeat", "until-steady", "wait"},
	groupVerdict: {"goal", "margin", "margin-p99", "fail-on", "cap", "replicas"},
	groupSafety:  {"destroy-data-on", "create", "allow-programs", "overwrite", "force", "yes", "listen", "listen-all", "host", "port", "token"},
	groupOutput:  {"output", "format", "json", "results", "into", "run", "note", "label", "show", "progress", "junit", "annotations", "push", "quiet", "verbose", "debug", "list"},
	groupKubernetes: {"namespace", "all-namespaces", "context", "kubeconfig", "access-mode", "node", "node-selector", "toleration", "resources", "image", "worker-image",
		"pull-secret", "ready-within", "run-as-user", "fs-group", "selinux-level", "as-root", "spread", "client-node", "baseline-client-node", "keep", "in-cluster", "detach", "hold", "service-account"},
	groupOther: {configFlag, "help", helpAll, "version"},
}

// groupOf returns the group of a flag; "" if it has none. An application's own flags say what is measured,
// unless they are in another group.
func groupOf(name string) string {
	for _, title := range groupTitles {
		if slices.Contains(groupsOfFlags[title], name) {
			return title
		}
	}
	if ofApplication(name) {
		return groupWhat
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

// FlagGroups returns the flags of a command that users may type, in groups.
func FlagGroups(c *cobra.Command) []FlagGroup {
	groups := map[string]*FlagGroup{}
	c.InitDefaultHelpFlag()
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		title := groupOf(f.Name)
		if title == "" {
			title = groupOther
		}
		shown := *f
		shown.Usage = strings.TrimPrefix(f.Usage, groupKubernetes+": ")
		if groups[title] == nil {
			groups[title] = &FlagGroup{Title: title}
		}
		groups[title].Flags = append(groups[title].Flags, &shown)
	}
	c.LocalFlags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	var list []FlagGroup
	for _, title := range groupTitles {
		if g := groups[title]; g != nil {
			g.folded = title == groupKubernetes && len(g.Flags) > longestGroup
			list = append(list, *g)
		}
	}
	return list
}

// usages returns the --help lines for the flags of the group, at most width columns wide (0: unlimited).
func (g FlagGroup) usages(width int) string {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, f := range g.Flags {
		set.AddFlag(f)
	}
	return set.FlagUsagesWrapped(width)
}

// helpAll is the flag that shows the help with all groups.
const helpAll = "help-all"

// wholeHelp is the value of --help-all: it requests help, with all groups.
type wholeHelp struct {
	cmd *cobra.Command
	on  bool
}

func (w *wholeHelp) Set(string) error {
	w.on = true
	return w.cmd.Flags().Set("help", "true")
}

func (w *wholeHelp) String() string   { return "false" }
func (w *wholeHelp) Type() string     { return "bool" }
func (w *wholeHelp) IsBoolFlag() bool { return true }

// groupFlags gives a command and its subcommands a help text with grouped flags.
func groupFlags(e *env.Env, c *cobra.Command) {
	whole := &wholeHelp{cmd: c}
	if slices.ContainsFunc(FlagGroups(c), func(g FlagGroup) bool { return g.folded }) {
		f := c.Flags().VarPF(whole, helpAll, "", "help with the flags for Kubernetes")
		f.NoOptDefVal, f.DefValue = "true", "false"
	}
	c.SetUsageFunc(func(c *cobra.Command) error {
		// Output to a pipe is not wrapped, so that grep finds whole lines.
		width := 0
		if e.Output.Interactive {
			width = max(60, e.Output.Width)
		}
		_, err := io.WriteString(c.OutOrStderr(), usage(c, whole.on, width))
		return err
	})
	for _, below := range c.Commands() {
		groupFlags(e, below)
	}
}

// usage returns what --help shows below the description.
func usage(c *cobra.Command, whole bool, width int) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.Runnable() && !c.HasAvailableSubCommands() || c.HasParent() && c.HasAvailableLocalFlags() && c.Use != c.Name() {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", c.CommandPath())
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(&b, "\nAliases:\n  %s\n", c.NameAndAliases())
	}
	if c.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	commands(&b, c)
	for _, g := range FlagGroups(c) {
		if g.folded && !whole {
			fmt.Fprintf(&b, "\n%s:\n  %d flags for sc: and pvc: targets: %s --%s\n", g.Title, len(g.Flags), c.CommandPath(), helpAll)
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n%s", g.Title, g.usages(width))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help describes a command.\n", c.CommandPath())
	}
	return b.String()
}

// commandGroups are the program's commands, grouped as its help shows them.
var commandGroups = []struct {
	title string
	names []string
}{
	{"Measure", []string{"run", "compare", "sweep", "scale", "app", "durability", "trace"}},
	{"Prepare", []string{"doctor", "plan"}},
	{"Analyze and show", []string{"analyze", "report", "explain", "predict", "size", "import", "serve"}},
	{"Kubernetes and Kbench", []string{"fetch", "cleanup", "kbench"}},
}

// commands lists the subcommands of a command; those of the root are in groups.
func commands(b *strings.Builder, c *cobra.Command) {
	var rest []*cobra.Command
	width := 0
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			rest = append(rest, below)
			width = max(width, len(below.Name()))
		}
	}
	list := func(title string, of []*cobra.Command) {
		if len(of) == 0 {
			return
		}
		fmt.Fprintf(b, "\n%s:\n", title)
		for _, below := range of {
			fmt.Fprintf(b, "  %-*s  %s\n", width, below.Name(), below.Short)
		}
	}
	title := "Commands"
	if !c.HasParent() {
		title = "Other commands"
		for _, g := range commandGroups {
			var of []*cobra.Command
			for _, name := range g.names {
				if i := slices.IndexFunc(rest, func(c *cobra.Command) bool { return c.Name() == name }); i >= 0 {
					of = append(of, rest[i])
					rest = slices.Delete(rest, i, i+1)
				}
			}
			list(g.title, of)
		}
	}
	list(title, rest)
}
