package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
)

func newAnalyze(e *env.Env) *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "analyze DIR",
		Short: "Compute the report of a saved run again, from its raw data",
		Long: `Reads a run directory, whatever state a crash left it in, and computes estimates,
findings and the report again from the samples. The raw data stays as it is. Of an
import, or a folder of several, the originals are read again.

Exit codes: 0 fine; 1 failed; 2 DIR is no run directory, or its run is still going on;
3 a goal that the run was given is missed or undecided; 5 a result is invalid;
130 interrupted.`,
		Example: `  loadline analyze loadline-results/20261120-235200-var-lib
  loadline analyze loadline-results/20261120-235200-var-lib --format json`,
		Args: exactly(1, "one run DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			done, err := results.Analyze(args[0])
			if err != nil {
				return err
			}
			return ending(finish(e, done, &output, false))
		},
	}
	registerOutput(e, cmd, &output)
	return cmd
}
