package cli

import (
	"cmp"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/scale"
)

// scaleOptions are the flags that scale and plan scale share.
type scaleOptions struct {
	options
	volumes, workload, rate string
}

func newScale(e *env.Env) *cobra.Command { return scaleCommand(e, &scaleOptions{}) }

func scaleCommand(e *env.Env, o *scaleOptions) *cobra.Command {
	var f measureFlags
	cmd := &cobra.Command{
		Use:   "scale TARGET [TARGET…]",
		Short: "Load N volumes at once, for several values of N: the total, its law, and each volume's share",
		Long: `Runs one workload on N volumes at once, for each N, in several rounds. Volumes start
together; their rates are summed second by second while all of them run, and compared
with what the devices counted. A law is fitted to the totals: what one volume reaches,
where the total saturates, and at how many volumes. If there is time, the highest total
is measured for 20 s without a pause, so that it does not include burst credits.

In a directory, each volume is a file; several targets are used in turn. Existing
devices, images and files are only read unless --destroy-data-on names each; volumes
beyond their number share them.

With --rate each volume is limited to this many I/Os per second, and the report
says whether it achieves them, and at which latency.

With --in-cluster this runs in a Job in the Kubernetes cluster of an sc: or pvc: target, and
--experiment repeats a saved one, as with loadline run.

Exit codes: 0 measured; 1 failed; 2 refused before any I/O, with the reason; 5 measured,
but a total is invalid; 130 interrupted (results so far are kept).`,
		Example: `  loadline scale /mnt/a /mnt/b /mnt/c --volumes 1,2,3,6,9
  loadline scale sc:longhorn --volumes 1,3,6,9 --workload rand-write-iops
  loadline scale sc:longhorn --volumes 51 --rate 100`,
		Args: o.unlessRepeated(usage.AtLeast("one TARGET")),
		RunE: f.run(e, &o.options, func(_ *cobra.Command, args []string) (model.Experiment, error) { return o.experiment(args) }),
	}
	o.register(cmd)
	f.registerTrace(cmd, "the targets' block devices"+tracerHelp)
	f.registerAmplification(cmd)
	f.inside.register(cmd)
	f.saveFlags.register(e, cmd, resultsHelp)
	f.registerPublisher(e, cmd)
	return cmd
}

func (o *scaleOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	flags.ListVar(f, &o.volumes, "volumes", "1,2,3,6", flags.ReadWhole, "how many volumes to load at once, each number in turn")
	flags.Verify(f, "volumes", func(s string) error {
		volumes, err := flags.ParseList("--volumes", s, flags.ReadWhole)
		return cmp.Or(err, scale.Check(model.ScaleRequest{Volumes: volumes}))
	})
	f.StringVar(&o.workload, "workload", "rand-read-iops", "the workload of the profile that each volume gets")
	f.StringVar(&o.rate, "rate", "", "limit each volume to this many I/Os per second (a whole number), and report whether it achieves them")
	flags.Verify(f, "rate", func(s string) error {
		rate, err := parseRate(s)
		return cmp.Or(err, scale.Check(model.ScaleRequest{Volumes: []int{1}, Rate: rate}))
	})
	f.StringVar(&o.profile, "profile", "standard", "where the workload is defined: a profile, or a FILE.yaml of your own")
	flags.Verify(f, "profile", session.CheckProfile)
	o.registerBounds(cmd)
	o.registerRest(cmd)
}

// experiment returns the experiment that the flags describe.
func (o *scaleOptions) experiment(targets []string) (model.Experiment, error) {
	r := model.ScaleRequest{Workload: o.workload, Targets: targets[1:]}
	var err error
	if r.Volumes, err = flags.ParseList("--volumes", o.volumes, flags.ReadWhole); err != nil {
		return model.Experiment{}, err
	}
	if o.rate != "" {
		if r.Rate, err = parseRate(o.rate); err != nil {
			return model.Experiment{}, err
		}
	}
	exp, err := o.options.experiment(targets[0])
	exp.Scenario, exp.Scale = scale.Name, &r
	return exp, err
}

// parseRate reads the rate that each volume is limited to.
func parseRate(s string) (float64, error) {
	rate, err := units.ParseDecimal(s)
	if err != nil || !(rate > 0 && rate < 1e9) {
		return 0, model.RefusedError("--rate "+strconv.Quote(s)+" is not a rate"+units.Plainly(err), "give the I/Os per second of each volume, such as --rate 100")
	}
	return rate, nil
}
