package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
)

// newHelp returns the command that shows another's help. The library's own shows that of the whole program for a command
// that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:    "help [COMMAND]",
		Short:  "Show the help of a command",
		Long:   "Shows the help of a command, as its --help does.\n\nExit codes: 0 success; 2 there is no such command.",
		Hidden: true,
		// A configuration that is wrong must not keep anybody from reading how to write one.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 && found.HasSubCommands() {
				return usage.UnknownTopic(found, rest)
			}
			return found.Help()
		},
	}
}
