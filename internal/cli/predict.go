package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/results"
)

// predictFlags say what a prediction is based on, and how it is written.
type predictFlags struct {
	from, like, clients string
	scale               int
	output              outputFlags
}

// newPredict returns the group of verbs that predict an application's performance.
func newPredict(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "predict",
		Short: "Predict PostgreSQL's rate on storage that was measured without a database",
		Long:  "Predicts an application's rate from a run on the storage without the application.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usage.New(fmt.Errorf("%q is not an application that can be predicted: only postgres is", args[0]), "loadline predict postgres --from RUN --like RUN")
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPredictPostgres(e))
	return cmd
}

func newPredictPostgres(e *env.Env) *cobra.Command {
	var f predictFlags
	cmd := &cobra.Command{
		Use:   "postgres --from RUN --like RUN",
		Short: "Predict pgbench's rate on storage that was measured without a database",
		Long: `Takes the time of flushes and reads from a run on the storage (--from), and the cost of a
transaction from a run of loadline app postgres on any machine (--like: processor time,
flushes, bytes of log, reads). It predicts how many transactions per second pgbench would
do on that storage, and their mean latency, with an interval that includes the
uncertainty of both runs and of the model, and names what limits them.

loadline run DIR --profile postgres measures the storage in two minutes; other runs work
too if they flush single writes (the standard profile does). loadline app postgres
DIR --profile small measures the costs.

docs/predict.md describes the model and its validation. Nothing in a run is changed.

Exit codes: 0 predicted; 1 failed; 2 refused: no such run, or one without the necessary
data; 5 predicted from numbers of the storage that a rule calls invalid.`,
		Example: `  loadline predict postgres --from loadline-results/20261120-235200-new --like loadline-results/20261121-091500-old
  loadline predict postgres --from loadline-results/20261120-235200-new --like loadline-results/20261121-091500-old --clients 1,8,32 --json`,
		Args: usage.Exactly(0, "no arguments except flags"),
		RunE: func(_ *cobra.Command, _ []string) error { return f.predict(e) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.from, "from", "", "the `RUN` that measured the storage")
	fl.StringVar(&f.like, "like", "", "the `RUN` of app postgres with the cost of a transaction")
	flags.ListVar(fl, &f.clients, "clients", "1,4,16,64", flags.ReadWhole, "numbers of clients")
	flags.CountVar(fl, flags.Count{Name: "scale", To: &f.scale, Least: 1, Most: flags.MostScale, Such: 50}, 0, "pgbench's scale: the number of branches, whose rows transactions lock (default: that of --like, at least one for each client)")
	registerOutput(e, cmd, &f.output, textOrJSON...)
	cmd.RunE = interruptible(cmd.RunE)
	return cmd
}

func (f *predictFlags) predict(e *env.Env) error {
	switch {
	case f.from == "":
		return model.RefusedError("--from is missing: the run that measured the storage", "measure it in two minutes: loadline run DIR --profile postgres")
	case f.like == "":
		return model.RefusedError("--like is missing: the run that measured the cost of a PostgreSQL transaction", "measure it once, on any machine: loadline app postgres DIR --profile small")
	}
	o := results.PredictOptions{From: f.from, Like: f.like}
	o.Scale = f.scale
	var err error
	if o.Clients, err = flags.ParseList("--clients", f.clients, flags.ReadWhole); err != nil {
		return err
	}
	p, remarks, err := results.Predict(o)
	if err != nil {
		return err
	}
	for _, r := range remarks {
		printLine(e.Stderr, "note    %s", r)
	}
	err = emitOne(e, &f.output, p, jsonout.WritePrediction, text.RenderPrediction)
	code := exitOK
	if p.Verdict == model.Invalid {
		code = exitInvalid
	}
	return exitError(code, err)
}
