package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/screen"
)

// newPlanCompare returns the plan verb for a comparison of two targets.
func newPlanCompare(e *env.Env) *cobra.Command {
	var o compareFlags
	var f planFlags
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Show what compare would do",
		Long: `Takes the flags of compare that say what is measured and how, and prints the plan of both
sides, as plan does for run.

Exit codes: 0 success; 1 failed; 2 refused, with the reason.`,
		Example: `  loadline plan compare /srv/old /srv/new --profile quick`,
		Args: o.unlessRepeated(func(cmd *cobra.Command, args []string) error {
			if len(args) == 4 && args[0] == usage.App {
				return model.RefusedError("a comparison of an application is planned one side at a time",
					"loadline plan app "+safetext.ShellWord(args[1])+" "+safetext.ShellWord(args[2])+"; and the same with "+safetext.ShellWord(args[3]))
			}
			return usage.Exactly(2, "two targets, A and B")(cmd, args)
		}),
		RunE: f.show(e, &o.options, func(_ *cobra.Command, args []string) (model.Experiment, error) { return o.experiment(args[0], args[1]) }),
	}
	o.options.register(cmd)
	f.register(e, cmd, true)
	return cmd
}

// showPair plans a comparison and prints the plan of both sides.
func showPair(ctx context.Context, e *env.Env, o *options, f *planFlags, exp model.Experiment, printed text.Options) error {
	request, err := session.NewRequest(exp, screen.Notes(e, false))
	if err != nil {
		return err
	}
	request.ID, request.Again = store.Name(e.Now(), exp.Target), flags.CommandLine(ctx)
	pair, err := o.places.PreparePair(ctx, e, request)
	if err != nil {
		return err
	}
	defer pair.Close()
	// A side's own experiment has only its own target, as in the directory of its run.
	pair.Plans[0].Experiment = pair.Plans[1].Experiment
	shown, envs := secrets.Masked(pair.Plans), [2]model.Environment{pair.Probes[0].Environment, pair.Probes[1].Environment}
	if f.output.name() == "json" {
		side := func(i int) jsonout.Plan {
			return jsonout.Plan{Plan: shown[i], Cluster: envs[i].Cluster, Memory: envs[i].Storage.Memory}
		}
		return jsonout.WritePlannedPair(term.Raw(e.Stdout), jsonout.PlannedPair{A: side(0), B: side(1)})
	}
	return text.PlanPair(e.Stdout, shown, envs, pair.Probes[0].Tools, printed)
}
