package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/plan/application"
)

// unusedRoot returns a command tree to look up commands and flags in. It has an environment of its own: flags set their
// defaults in it, and values that were typed must stay.
func unusedRoot(e *env.Env) *cobra.Command {
	other := *e
	return newRoot(&other)
}

// doesNotApply reports whether a value from the configuration does not apply to what a command is asked to do: one that its arguments rule out, one for
// single runs where two are compared, a profile beside an application's load, or what is for pods if no target is in a cluster.
func doesNotApply(c *cobra.Command, section string, args []string, flag string) bool {
	given := c.Flags().Changed
	if !flagtable.Is(flag, allowedFlags(c, args)) {
		return true
	}
	if flagtable.Is(flag, flagtable.SingleRun) && (c.Name() == "compare" || given("baseline")) {
		return true
	}
	if flag == "profile" {
		return section == usage.App && slices.ContainsFunc(session.Applications(), func(a application.Application) bool {
			return slices.ContainsFunc(a.Flags, func(f application.Flag) bool { return f.Load && given(f.Name) })
		})
	}
	if isForPods(c, flag) || flag == "image" && section == usage.App {
		// Else the advised command, which repeats it as if it had been typed, would be refused.
		inCluster, any := targetsInCluster(c, args)
		return any && !inCluster
	}
	return false
}

// allowedFlags returns what a flag must be for a command to accept it, if its arguments rule out all others; nothing if
// it accepts all.
func allowedFlags(c *cobra.Command, args []string) (must flagtable.Property) {
	switch {
	case c.Flags().Changed(experimentFlag):
		return flagtable.WithExperiment
	case c.Name() == "compare" && (len(args) == 1 || len(args) == 2 && store.IsRun(args[0]) && store.IsRun(args[1])):
		return flagtable.WithSavedRuns
	}
	return 0
}
