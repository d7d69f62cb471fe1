package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/text"
)

// defaultResults is the directory that run directories are created in.
const defaultResults = "loadline-results"

// registerChild adds the hidden flag that runs the workers of this machine as processes.
func registerChild(cmd *cobra.Command, child *bool) {
	cmd.Flags().BoolVar(child, "child-worker", false, "run the worker as a separate process")
	_ = cmd.Flags().MarkHidden("child-worker")
}

// headIsShown reports whether the head is on the screen already, because both streams
// are the same terminal.
func headIsShown(e *env.Env, quiet bool) bool {
	return !quiet && e.Terminal.Interactive && e.Output.Interactive
}

// recordedCommand returns the command line to record, without secrets.
func recordedCommand(e *env.Env) []string {
	return secrets.MaskCommand(append([]string{"loadline"}, e.Args...))
}

func terminalOptions(t env.Terminal) text.Options {
	return text.Options{Width: t.Width, Color: t.Color, Unicode: t.Unicode, Verbose: t.Verbose}
}

// noteWriter returns a function that prints remarks for the user on standard error; with --quiet it
// prints nothing.
func noteWriter(e *env.Env, quiet bool) func(string) {
	return func(words string) {
		if !quiet {
			printLine(e.Stderr, "note    %s", words)
		}
	}
}
