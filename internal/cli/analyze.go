package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/store"
)

func newAnalyze(e *env.Env) *cobra.Command {
	var output string
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
  loadline analyze loadline-results/20261120-235200-var-lib --output json`,
		Args: exactly(1, "one run DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			if isDurability(args[0]) {
				return analyzeDurability(e, args[0], output)
			}
			if store.IsComparison(args[0]) {
				return model.RefusedError(fmt.Sprintf("%s holds a comparison, which is two runs", args[0]),
					fmt.Sprintf("loadline compare %s   (it computes the comparison again), or loadline analyze %s for one side",
						model.ShellWord(args[0]), model.ShellWord(filepath.Join(args[0], store.BaselineDir))))
			}
			if store.Running(args[0]) {
				return model.RefusedError(fmt.Sprintf("the run in %s is still going on", args[0]), "wait for its end, or interrupt it")
			}
			if len(store.RankedRuns(args[0])) > 0 {
				return analyzeRanking(e, args[0], output)
			}
			if store.IsImported(args[0]) {
				if err := reimportIn(args[0]); err != nil {
					return err
				}
			}
			code, err := finish(e, args[0], output, false)
			if err == nil && code != exitOK {
				return exitCode(code)
			}
			return err
		},
	}
	registerOutput(cmd, &output)
	return cmd
}
