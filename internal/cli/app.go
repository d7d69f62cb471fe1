package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
)

// newApp returns the group of verbs that measure an application on the storage.
func newApp(e *env.Env) *cobra.Command {
	group := appGroup("Measure an application on the storage: " + strings.Join(titles(), ", "))
	group.Long = `Measures an application on the storage instead of the storage alone, and says how much of
the result depends on the storage.`
	for _, app := range session.Applications() {
		group.AddCommand(newAppOf(e, app))
	}
	return group
}

// newPlanApp returns the plan verb for applications.
func newPlanApp(e *env.Env) *cobra.Command {
	group := appGroup("Show what app would do")
	for _, app := range session.Applications() {
		group.AddCommand(newPlanAppOf(e, app))
	}
	return group
}

// appGroup returns a verb that needs the name of an application.
func appGroup(short string) *cobra.Command {
	return &cobra.Command{
		Use:   "app",
		Short: short,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			_, err := session.Applications().Lookup(args[0])
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}

// titles lists the applications as sentences have them.
func titles() (list []string) {
	for _, app := range session.Applications() {
		list = append(list, app.Title)
	}
	return list
}

// appOptions are the flags that "app NAME" and "plan app NAME" share.
type appOptions struct {
	options
	app application.Application
	own flags.OfApplication
}

// appExitCodes ends the help of the verbs that measure an application.
const appExitCodes = `

Exit codes: 0 measured; 1 failed; 2 refused before any I/O, with the reason; 3 a goal was
missed or could not be decided; 4 worse than the baseline; 5 measured, but a result is
invalid; 6 inconclusive: a row is unclear, with --fail-on unclear; 130 interrupted (results
so far are kept).`

// newAppOf returns the verb that measures an application.
func newAppOf(e *env.Env, app application.Application) *cobra.Command {
	return appCommand(e, &runFlags{}, &appOptions{app: app})
}

func appCommand(e *env.Env, f *runFlags, o *appOptions) *cobra.Command {
	app := o.app
	name := string(app.Kind)
	cmd := &cobra.Command{
		Use:     name + " " + app.Help.Targets,
		Short:   app.Help.Short,
		Long:    app.Help.Long + appExitCodes,
		Example: app.Help.Examples,
		Args:    usage.Exactly(1, app.Help.Target),
		RunE: f.run(e, &o.options, func(cmd *cobra.Command, args []string) (model.Experiment, error) {
			return f.appExperiment(e, cmd, args[0], o)
		}),
	}
	o.register(cmd)
	cmd.Flags().StringVar(&f.baseline, "baseline", "", app.Help.Baseline)
	o.own.Register(cmd, app.BaselineFlags)
	device := "the directory's block device"
	if app.Pods != nil {
		device += tracerHelp
	}
	f.registerTrace(cmd, device)
	if app.Pods != nil {
		f.registerAmplification(cmd)
	}
	f.registerAppRest(e, cmd, o, resultsHelp)
	return cmd
}

// newPlanAppOf returns the plan verb for an application.
func newPlanAppOf(e *env.Env, app application.Application) *cobra.Command {
	o := &appOptions{app: app}
	var f planFlags
	name := string(app.Kind)
	cmd := &cobra.Command{
		Use:   name + " " + app.Help.Targets,
		Short: "Show what app " + name + " would do, with the server's settings",
		Long: app.Help.PlanLong + `

Exit codes: 0 success; 1 failed; 2 refused, with the reason.`,
		Example: app.Help.PlanExamples,
		Args:    usage.Exactly(1, app.Help.Target),
		RunE: f.show(e, &o.options, func(cmd *cobra.Command, args []string) (model.Experiment, error) {
			return o.experiment(e, cmd, args[0])
		}),
	}
	o.register(cmd)
	f.registerTrace(cmd)
	if app.Pods != nil {
		f.registerAmplification(cmd)
	}
	registerGoals(cmd, &o.options)
	f.register(e, cmd, app.Pods != nil)
	return cmd
}

// registerAppRest adds the flags that follow those that define what is measured.
func (f *runFlags) registerAppRest(e *env.Env, cmd *cobra.Command, o *appOptions, results string) {
	f.gate.register(cmd)
	if o.app.Pods != nil {
		f.inside.register(cmd)
	}
	registerGoals(cmd, &o.options)
	f.saveFlags.register(e, cmd, results)
	f.registerPublisher(e, cmd)
}

// appExperiment returns the experiment of an application and, if the flags ask for it, its baseline.
func (f *runFlags) appExperiment(e *env.Env, cmd *cobra.Command, target string, o *appOptions) (model.Experiment, error) {
	exp, err := o.experiment(e, cmd, target)
	if err == nil && f.baseline != "" {
		err = f.gate.compare(&exp, profile.Comparison, f.baseline)
	}
	return exp, err
}

func (o *appOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	names := o.app.Names()
	f.StringVar(&o.profile, "profile", names[0], "loads to run: "+strings.Join(names, ", "))
	flags.Verify(f, "profile", func(name string) error {
		_, err := o.app.Profile(name)
		return err
	})
	o.own.Register(cmd, o.app.Flags)
	o.registerLoads(cmd)
	if o.app.Pods != nil {
		flags.ServerPods(cmd, &o.places.Cluster, &o.own.Request.Image, o.app.Pods)
	}
}

// registerLoads adds the flags that all applications share: which loads to run, and for how long.
func (o *appOptions) registerLoads(cmd *cobra.Command) {
	f := cmd.Flags()
	such, _, _ := strings.Cut(o.app.Profiles[0]().Workloads[0].Name, "-")
	f.StringSliceVar(&o.only, "only", nil, "only these workloads (names or patterns such as '"+such+"-*')")
	f.StringSliceVar(&o.skip, "skip", nil, "not these workloads")
	f.StringVar(&o.precision, "precision", "", "relative half-width of the 95 % interval to measure until (default: the profile's, else 5%)")
	f.StringVar(&o.maxTime, "max-time", "", "maximum time of all repeats, such as 90s or 5m, up to 8760h; not included: the probe, the prefill, waits for the storage to settle, the check of the load generator (default: the profile's, else 5m; at least twice that if two targets are compared)")
	f.StringVar(&o.fixed, "time", "", "one repeat of this fixed length per workload (60s), instead of several short ones in random order")
	f.StringVar(&o.rampTime, "ramp-time", "", "with --time: unmeasured time before each repeat")
	flags.RepeatVar(f, &o.repeat, "at least this many repeats per workload (2 to 10000; default: 3)")
	flags.SeedVar(f, &o.seed)
	f.StringVar(&o.note, "note", "", "a note to save with the run")
	o.label.Register(cmd)
	f.StringSliceVar(&o.places.Hosts, "hosts", nil, "measure a DIR of this `HOST` over ssh, a machine with loadline and the server's programs")
}

// experiment returns the experiment that the flags describe.
func (o *appOptions) experiment(e *env.Env, cmd *cobra.Command, target string) (exp model.Experiment, err error) {
	request, err := o.own.Complete(e)
	if err != nil {
		return exp, err
	}
	if err := o.app.CheckOptions(request.Ask.Options); err != nil {
		return exp, err
	}
	if request.Ask.OwnLoad() && cmd.Flags().Changed("profile") {
		return exp, model.RefusedError("--profile selects a list of loads, but "+o.app.LoadFlags()+" define one of your own", "use one or the other")
	}
	if exp, err = o.options.experiment(target); err != nil {
		return exp, err
	}
	request.Name = string(o.app.Kind)
	// Application profiles have their own names, and no flag limits the preparation time.
	exp.Scenario, exp.App, exp.MaxPrefill = application.Scenario, &request, application.MaxPrefill
	return exp, nil
}
