package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model/secrets"
)

// defaultResults is the directory that run directories are created in.
const defaultResults = "loadline-results"

// registerChild adds the hidden flag that runs the workers of this machine as processes.
func registerChild(cmd *cobra.Command, child *bool) {
	cmd.Flags().BoolVar(child, "child-worker", false, "run the worker as a separate process")
	_ = cmd.Flags().MarkHidden("child-worker")
}

// recordedCommand returns the command line to record, without secrets.
func recordedCommand(e *env.Env) []string {
	return secrets.MaskCommand(append([]string{"loadline"}, e.Args...))
}
