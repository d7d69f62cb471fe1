package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/show/screen"
)

func newCompletion(e *env.Env) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script for bash, zsh, fish or powershell",
		Long: `Prints a script that makes the shell complete commands and flags.

Exit codes: 0 fine; 2 usage.`,
		Example: `  loadline completion bash
  loadline completion zsh`,
		Args:      usage.Exactly(1, "one SHELL"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), screen.Raw(e).Stdout
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			hint := "loadline completion bash"
			if near := suggest.Nearest(args[0], shells); near != "" {
				hint = "loadline completion " + near
			}
			return model.RefusedError(fmt.Sprintf("there is no completion for %q: bash, zsh, fish and powershell are known", args[0]), hint)
		},
	}
}
