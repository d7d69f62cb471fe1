package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
)

// reporting are the verbs that print reports as text, in addition to those below app. "postgres" is that of
// predict.
var reporting = []string{"run", "compare", "sweep", "scale", "postgres", "analyze", "report", "durability", "import", "fetch"}

// registerVerbose adds --verbose to the verbs below cmd that print reports.
func registerVerbose(e *env.Env, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if slices.Contains(reporting, c.Name()) || cmd.Name() == usage.App {
			c.Flags().BoolVarP(&e.Output.Verbose, "verbose", "v", false, "also print notes, passed checks and what was not checked")
		}
		registerVerbose(e, c)
	}
}

// registerYes adds --yes to the verbs below cmd that may ask.
func registerYes(e *env.Env, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if slices.Contains([]string{"run", "compare", "sweep", "scale"}, c.Name()) && c.Parent() == cmd.Root() {
			c.Flags().BoolVarP(&e.Yes, "yes", "y", false, "do not ask before writing more than 10 GiB if the size is automatic")
		}
	}
}
