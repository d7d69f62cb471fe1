package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/screen"
)

// planFlags are the flags of the verbs that plan, beside those of the verb that would measure. A verb that
// does not register --trace or --amplification does not observe.
type planFlags struct {
	output   outputFlags
	inside   insideFlags
	observed session.Observed
}

// register adds the flags that all of them have; pods is true if what is planned can be measured by a Job.
func (f *planFlags) register(e *env.Env, cmd *cobra.Command, pods bool) {
	if pods {
		f.inside.register(cmd)
	}
	registerOutput(e, cmd, &f.output, textOrJSON...)
	f.output.plain = func() bool { return f.inside.on }
}

// show returns what a verb that plans does: it plans what the flags in o describe, or the experiment in the file that they
// name.
func (f *planFlags) show(e *env.Env, o *options, described func(cmd *cobra.Command, args []string) (model.Experiment, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		exp, err := o.requestedExperiment(e, cmd, args, func() (model.Experiment, error) { return described(cmd, args) })
		if err != nil {
			return err
		}
		return showPlan(cmd, e, o, f, exp)
	}
}

func newPlan(e *env.Env) *cobra.Command {
	var o options
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan TARGET",
		Short: "Show what run would do, how long it would take and how much space it needs",
		Long: `Takes the flags of run that say what is measured and how (not those that save, show,
publish or compare it, such as --results, --quiet, --baseline, --margin and --fail-on),
checks everything that can be checked without I/O, and prints the plan. It writes
nothing and measures nothing; what only a probe can determine (the bandwidth, and with
it the automatic size) is decided at run time. For a Kubernetes volume, it shows what
the StorageClass and its storage system report, without creating a volume. --experiment
accepts those of run, compare, sweep and scale. With --in-cluster it prints the Job that
would measure the same inside the cluster, for kubectl apply.

Exit codes: 0 success; 1 failed; 2 refused, with the reason.`,
		Example: `  loadline plan /var/lib/postgresql
  loadline plan /dev/sdX --profile kbench --destroy-data-on /dev/sdX --time 20s`,
		Args:              o.unlessRepeated(usage.Exactly(1, "one TARGET")),
		ValidArgsFunction: orPaths,
		RunE:              f.show(e, &o, func(_ *cobra.Command, args []string) (model.Experiment, error) { return o.experiment(args[0]) }),
	}
	o.register(cmd)
	f.registerTrace(cmd)
	f.registerAmplification(cmd)
	registerGoals(cmd, &o)
	f.register(e, cmd, true)
	cmd.AddCommand(newPlanCompare(e), newPlanSweep(e), newPlanScale(e), newPlanApp(e))
	return cmd
}

// newPlanSweep returns the plan verb for a sweep.
func newPlanSweep(e *env.Env) *cobra.Command {
	var o sweepOptions
	var f planFlags
	cmd := &cobra.Command{
		Use:   "sweep TARGET",
		Short: "Show what sweep would do",
		Long: `Takes the flags of sweep and prints the plan, as plan does for run.

Exit codes: 0 success; 1 failed; 2 refused, with the reason.`,
		Example: `  loadline plan sweep /var/lib/postgresql --depth 1,4,16 --bs 4k`,
		Args:    o.unlessRepeated(usage.Exactly(1, "one TARGET")),
		RunE:    f.show(e, &o.options, func(cmd *cobra.Command, args []string) (model.Experiment, error) { return o.experiment(cmd, args[0]) }),
	}
	o.register(cmd)
	f.register(e, cmd, true)
	return cmd
}

// newPlanScale returns the plan verb for several volumes at once.
func newPlanScale(e *env.Env) *cobra.Command {
	var o scaleOptions
	var f planFlags
	cmd := &cobra.Command{
		Use:   "scale TARGET [TARGET…]",
		Short: "Show what scale would do",
		Long: `Takes the flags of scale and prints the plan, as plan does for run.

Exit codes: 0 success; 1 failed; 2 refused, with the reason.`,
		Example: `  loadline plan scale /var/lib/postgresql --volumes 1,2,4`,
		Args:    o.unlessRepeated(usage.AtLeast("one TARGET")),
		RunE:    f.show(e, &o.options, func(_ *cobra.Command, args []string) (model.Experiment, error) { return o.experiment(args) }),
	}
	o.register(cmd)
	f.registerTrace(cmd)
	f.registerAmplification(cmd)
	f.register(e, cmd, true)
	return cmd
}

// showPlan plans an experiment and prints the plan, or the Job that would measure it.
func showPlan(cmd *cobra.Command, e *env.Env, o *options, f *planFlags, exp model.Experiment) error {
	ctx := cmd.Context()
	if err := f.inside.check(cmd); err != nil {
		return err
	}
	if f.inside.on {
		return f.inside.print(ctx, e, o, exp)
	}
	printed := screen.Text(e.Output)
	if printed.Planned = cmd.CommandPath(); cmd.Flags().Changed("experiment") {
		printed.Planned += " --experiment …"
	}
	if err := session.RefuseSaved(exp); err != nil {
		return err
	}
	if session.Paired(exp) {
		return showPair(ctx, e, o, f, exp, printed)
	}
	request, err := session.NewRequest(exp, screen.Notes(e, false))
	if err != nil {
		return err
	}
	request.ID = store.Name(e.Now(), exp.Target)
	tracer, counter, err := o.places.ObserverManifests(ctx, e, exp, request.ID, f.observed)
	if err != nil {
		return err
	}
	prep, err := o.places.Prepare(ctx, e, request)
	if err != nil {
		return err
	}
	defer prep.Close()
	if f.output.name() == "json" {
		return jsonout.WritePlan(term.Raw(e.Stdout), jsonout.Plan{
			Plan: secrets.Masked(prep.Plan), Cluster: prep.Probe.Environment.Cluster, Memory: prep.Probe.Environment.Storage.Memory,
			Manifests: prep.Manifests, Tracer: tracer, Counter: counter,
		})
	}
	shown := secrets.Masked(prep.Plan)
	if err := text.Plan(e.Stdout, &shown, prep.Probe.Environment, printed); err != nil {
		return err
	}
	return text.Manifests(e.Stdout, prep.Probe.Environment.Cluster, prep.Manifests, tracer, counter)
}
