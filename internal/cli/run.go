package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// runFlags are the flags of run that it does not share with plan.
type runFlags struct {
	options
	measureFlags
	baseline string
}

func newRun(e *env.Env) *cobra.Command { return runCommand(e, &runFlags{}) }

func runCommand(e *env.Env, f *runFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "run TARGET",
		// This is the name of the command in many other tools.
		Aliases:    []string{"bench"},
		SuggestFor: []string{"benchmark", "measure", "test", "start"},
		Short:      "Measure a directory, file, device, NBD or Ceph volume, or Kubernetes volume",
		Long: `Measures how much I/O the target can sustain. In a directory, it writes a file of its own
and removes it; an existing device, image or file is only read unless
--destroy-data-on names it, and a path that does not exist is refused unless --create
is given. Every workload is measured several times in random order, and
again until its 95 % interval is as narrow as --precision or --max-time is over.

Targets: /dir   /path/file   /dev/sdX   nbd+unix:///export?socket=PATH
         nbd://host/export   rbd:pool/image   rbd:pool/image:id=USER
         sc:NAME   'sc:NAME?size=20Gi&mode=Block&access=RWX'   pvc:NAMESPACE/NAME

sc: creates a claim of a Kubernetes StorageClass and a pod, measures there, and
removes both; pvc: measures an existing claim from a pod. The cluster is kubectl's.
With --in-cluster the measurement runs in a Job in the cluster, so this machine may
disconnect: its progress is shown here, and its run directory is fetched (see loadline
fetch).

With --baseline another target is measured in short blocks interleaved with this one,
and compared (see loadline compare). --goal sets a limit that the whole interval
must meet: 'rand-read-iops iops > 60k', 'rand-read-lat p99 < 5ms'.

--experiment repeats the experiment of a run directory, or of a file such as its
experiment.yaml: the same workloads, sizes, order and goals, of run, compare, sweep or
scale. A TARGET given with it replaces the experiment's. A file cannot permit overwriting:
give --destroy-data-on again. Nor can a file alone make a database use its script and
settings: read them, and give --allow-programs.

Exit codes: 0 measured; 1 failed; 2 refused before any I/O, with the reason;
3 a goal was missed or could not be decided; 4 worse than the baseline; 5 measured, but
a result is invalid; 6 unclear whether worse than the baseline, with --fail-on unclear;
130 interrupted (results so far are kept). If several of them apply, 4 takes precedence
over 3, 3 over 5, and 5 over 6.`,
		Example: `  loadline run /var/lib/postgresql --profile quick
  loadline run /dev/sdX --only 'rand-read-*' --precision 2%
  loadline run --experiment loadline-results/20261120-235200-var-lib`,
		Args: f.unlessRepeated(usage.Exactly(1, "one TARGET")),
		RunE: f.run(e, &f.options, func(_ *cobra.Command, args []string) (model.Experiment, error) { return f.experiment(args[0]) }),
	}
	f.options.register(cmd)
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "also measure this `TARGET`, interleaved, and compare with it")
	f.registerTrace(cmd, "the target's block device"+tracerHelp)
	f.registerAmplification(cmd)
	f.gate.register(cmd)
	f.inside.register(cmd)
	registerGoals(cmd, &f.options)
	f.saveFlags.register(e, cmd, resultsHelp)
	f.registerPublisher(e, cmd)
	return cmd
}

// experiment returns the experiment that the flags describe.
func (f *runFlags) experiment(target string) (model.Experiment, error) {
	exp, err := f.options.experiment(target)
	if err == nil && f.baseline != "" {
		err = f.gate.compare(&exp, model.OnBaseline, f.baseline)
	}
	return exp, err
}
