package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/doctor"
	"github.com/loadline/loadline/internal/measure/worker"
	"github.com/loadline/loadline/internal/show/report/term"
)

func newVersion(e *env.Env) *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, its origin, and the fio that would be used",
		Long: `Prints the version of Loadline, the commit and the Go that it was built from, the
platform, and the fio that a measurement on this machine would use. loadline --version
prints the version alone.

Exit codes: 0 success, even without fio; 1 failed; 2 usage.`,
		Example: `  loadline version
  loadline version --json`,
		Args: usage.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a := doctor.Describe(cmd.Context(), e, worker.Version)
			if output.name() == "json" {
				enc := json.NewEncoder(term.Raw(e.Stdout))
				enc.SetIndent("", "  ")
				return enc.Encode(a)
			}
			for _, line := range a.Lines() {
				printLine(e.Stdout, "%s", line)
			}
			return nil
		},
	}
	registerOutput(e, cmd, &output, textOrJSON...)
	return cmd
}
