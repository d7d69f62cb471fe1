package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/show/results"
)

func newAnalyze(e *env.Env) *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "analyze DIR",
		Short: "Recompute the report of a saved run from its raw data",
		Long: `Reads a run directory, whatever state a crash left it in, and recomputes estimates,
findings and the report from the samples. The raw data is not changed. For an import,
or a folder of several, the originals are read again. If the raw data are damaged, a saved
report that holds more results than can still be computed is kept.

Exit codes: 0 success; 1 failed, or the saved report was kept; 2 DIR is not a run directory, or its run is still in
progress; 3 a goal of the run is missed or undecided; 5 a result is invalid;
130 interrupted.`,
		Example: `  loadline analyze loadline-results/20261120-235200-var-lib
  loadline analyze loadline-results/20261120-235200-var-lib --format json`,
		Args: usage.Exactly(1, "one run DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			done, err := results.Analyze(args[0])
			if err != nil {
				return err
			}
			return exitError(finish(e, done, &output, false))
		},
	}
	registerOutput(e, cmd, &output)
	return cmd
}
