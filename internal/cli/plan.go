package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/report/text"
	"github.com/loadline/loadline/internal/store"
)

func newPlan(e *env.Env) *cobra.Command {
	var o options
	var output string
	cmd := &cobra.Command{
		Use:   "plan TARGET",
		Short: "Show what run would do, how long it takes and how much space it needs",
		Long: `Takes the flags of run, checks everything that can be checked by looking, and prints
the plan. It writes nothing and measures nothing; what only a probe can tell (the
bandwidth, and so the automatic size) is decided when it runs.

Exit codes: 0 fine; 1 failed; 2 refused, with the reason.`,
		Example: `  loadline plan /var/lib/postgresql
  loadline plan /dev/sdX --profile kbench --destroy-data-on /dev/sdX --time 20s`,
		Args: exactly(1, "one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			prep, err := o.prepare(cmd.Context(), e, args[0], prepareOptions{id: store.Name(e.Now(), args[0]), say: e.Stderr})
			if err != nil {
				return err
			}
			defer prep.worker.Close()
			if output == "json" {
				enc := json.NewEncoder(e.Stdout)
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				return enc.Encode(prep.plan)
			}
			return text.Plan(e.Stdout, &prep.plan, terminalOptions(e.Output))
		},
	}
	o.register(cmd)
	registerOutput(cmd, &output)
	return cmd
}
