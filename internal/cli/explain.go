package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/results"
)

// explainFlags say what is explained, and how it is written.
type explainFlags struct {
	only   []string
	traced string
	output outputFlags
}

func newExplain(e *env.Env) *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain RUN [RUN]",
		Short: "Show where the time of an operation goes, and what would change it",
		Long: `Computes the time budget of one operation of a saved run, from the client down to the
device: of an I/O of loadline run, of a transaction of loadline app postgres, or of
imported pgbench output with a trace. Each row names its source. The sum of the rows is
compared with what the client saw; the difference is shown as a row, and beyond 15 % the
budget does not close: the output says what is missing and how to measure it.

Below are predictions of what would change if a part took less (--format json has all
of them), with their laws and conditions.

For two runs, or a comparison, the budgets are shown side by side: how many times as long
B takes as A and why, and whether the two did the same work.

docs/explain.md says what each row means. Nothing in a run is changed.

Exit codes: 0 explained; 1 failed; 2 refused: no such run, or an unknown workload;
6 no workload has a budget that closes.`,
		Example: `  loadline explain loadline-results/20261120-235200-var-lib
  loadline explain loadline-results/20261120-235200-fast loadline-results/20261121-091500-slow --only tpcb-c1
  loadline explain import/local-path import/longhorn --traced 30s`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return nil
			}
			return usage.Exactly(1, "one RUN or two")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return f.explain(e, args) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.only, "only", nil, "only these workloads (names or patterns such as 'tpcb-*')")
	fl.StringVar(&f.traced, "traced", "", "length of the trace in an imported document that does not give it, such as 30s")
	registerOutput(e, cmd, &f.output, textOrJSON...)
	return cmd
}

func (f *explainFlags) explain(e *env.Env, args []string) error {
	o := results.ExplainOptions{Runs: args, Only: f.only}
	if f.traced != "" {
		var err error
		if o.TraceSeconds, err = flags.ParseSpan("--traced", f.traced); err != nil {
			return err
		}
		if o.TraceSeconds <= 0 {
			return model.RefusedError("--traced "+f.traced+" is not a duration", "write it like 30s")
		}
	}
	x, remarks, err := results.Explain(o)
	if err != nil {
		return err
	}
	for _, r := range remarks {
		printLine(e.Stderr, "note    %s", r)
	}
	err = emitOne(e, &f.output, x, jsonout.WriteExplanation, text.RenderExplanation)
	return exitError(explainCode(x), err)
}

// explainCode returns 6 if no budget closes.
func explainCode(x *budget.Explanation) int {
	for _, side := range x.Runs {
		if slices.ContainsFunc(side.Budgets, func(b budget.Budget) bool { return b.Closes() }) {
			return exitOK
		}
	}
	return exitUnclear
}
