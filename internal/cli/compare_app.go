package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
)

// newCompareApp returns the group of verbs that compare an application in two places.
func newCompareApp(e *env.Env) *cobra.Command {
	group := appGroup("Compare an application in two places: " + strings.Join(titles(), ", "))
	group.Long = `Measures an application in two places instead of their storage alone, and compares B with A.`
	for _, app := range session.Applications() {
		group.AddCommand(newCompareAppOf(e, app))
	}
	return group
}

// compareAppVerbs lists the verbs that compare an application in two places.
func compareAppVerbs() string {
	var verbs []string
	for _, name := range session.Applications().Names() {
		verbs = append(verbs, "compare app "+name+" A B")
	}
	return units.FormatList(verbs)
}

// newCompareAppOf returns the verb that compares an application in two places.
func newCompareAppOf(e *env.Env, app application.Application) *cobra.Command {
	return compareAppCommand(e, &runFlags{}, &appOptions{app: app})
}

func compareAppCommand(e *env.Env, f *runFlags, o *appOptions) *cobra.Command {
	name, help := string(o.app.Kind), o.app.Help
	place := "a " + strings.TrimPrefix(help.Target, "one ")
	cmd := &cobra.Command{
		Use:   name + " A B",
		Short: "Compare " + o.app.Title + " in two places, measured in interleaved blocks",
		Long: fmt.Sprintf(`Measures %[1]s in two places and compares B with A, the baseline: the same measurement as
%[2]s B --baseline A, with the same flags.
A and B are each %[3]s.
Both servers run, and are loaded in turn in interleaved blocks, until each interval is
narrower than the margin or --max-time is over. The goals are B's, and so is the report
that is printed with the comparison. %[2]s --help describes the loads.

Two saved runs are compared by loadline compare and their directories.`, o.app.Title, "loadline app "+name, place) + appExitCodes,
		Example: help.CompareExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			hint := cmd.CommandPath() + " A B"
			if len(args) == 0 && env.Exists(usage.App) && env.Exists(name) {
				hint += "; or, for what is in " + usage.App + " and in " + name + " here: loadline compare ./" + usage.App + " ./" + name
			}
			return usage.WrongArguments(cmd, "two places, each "+place, args, hint)
		},
		RunE: f.run(e, &o.options, func(cmd *cobra.Command, args []string) (model.Experiment, error) {
			return f.compareAppExperiment(e, cmd, args, o)
		}),
	}
	o.register(cmd)
	o.own.Register(cmd, o.app.BaselineFlags)
	f.registerAppRest(e, cmd, o, comparisonHelp)
	return cmd
}

// compareAppExperiment returns the experiment of an application in two places, the first of which is the baseline.
func (f *runFlags) compareAppExperiment(e *env.Env, cmd *cobra.Command, places []string, o *appOptions) (model.Experiment, error) {
	exp, err := o.experiment(e, cmd, places[1])
	if err == nil {
		err = f.gate.compare(&exp, profile.Comparison, places[0])
	}
	return exp, err
}

// preferPaths makes "compare app …" compare what is in a path called app if no application is named, or if both words
// are saved results and nothing follows them.
func preferPaths(e *env.Env, root *cobra.Command) {
	c, rest, err := root.Find(e.Args)
	if err != nil {
		return
	}
	words := strings.Fields(c.CommandPath())[1:]
	if len(words) < 2 || words[0] != "compare" || words[1] != usage.App {
		return
	}
	group := c
	if len(words) > 2 {
		group = c.Parent()
		if !saved(words[1]) || !saved(words[2]) {
			return
		}
		// A tree of its own, since flags are set once.
		c, rest, err = unusedRoot(e).Find(e.Args)
		if err != nil || c.ParseFlags(rest) != nil || c.Flags().NArg() > 0 {
			return
		}
	} else if slices.Contains(rest, "--help") || slices.Contains(rest, "-h") || slices.Contains(rest, "--"+flags.HelpAll) || namesApplication(rest) {
		return
	}
	group.Parent().RemoveCommand(group)
}

// namesApplication reports whether the words after "compare app" can only begin with the name of an application, perhaps
// of one that is not known: neither app nor the word is a path here, and none is to be created.
func namesApplication(rest []string) bool {
	return len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !strings.ContainsAny(rest[0], "/:") &&
		!env.Exists(usage.App) && !env.Exists(rest[0]) && !slices.Contains(rest, "--create")
}

// saved reports whether a directory holds saved results of any kind.
func saved(name string) bool {
	return store.IsRun(name) || store.IsComparison(name) || store.IsTrace(name)
}

// orPaths makes the shell complete paths as well as subcommands.
func orPaths(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}
