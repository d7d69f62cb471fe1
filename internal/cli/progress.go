package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/screen"
)

// progressFlag is the name of the flag that selects the form of the progress.
const progressFlag = "progress"

// registerProgress adds --progress to a verb that measures; beginProgress implements it.
func registerProgress(cmd *cobra.Command) {
	cmd.Flags().String(progressFlag, flags.ProgressForms[0], "progress on standard error: text, or json for one line of JSON per event (docs/ci.md)")
}

// beginProgress turns everything written to standard error into events if
// --progress json is given.
func beginProgress(e *env.Env, cmd *cobra.Command) error {
	flag := cmd.Flags().Lookup(progressFlag)
	if flag == nil || flag.Value.String() == flags.ProgressForms[0] {
		return nil
	}
	if err := flags.OneOf("--"+progressFlag, flag.Value.String(), flags.ProgressForms); err != nil {
		return err
	}
	if quiet := cmd.Flags().Lookup("quiet"); quiet != nil && quiet.Value.String() == "true" {
		return model.RefusedError("--quiet turns progress off, but --progress json asks for it", "leave one of them out")
	}
	screen.BeginEvents(e)
	return nil
}
