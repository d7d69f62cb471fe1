package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/etcd"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
)

// etcdOptions are the flags that app etcd and plan app etcd share.
type etcdOptions struct {
	options
	ask                  application.Ask
	clients, rate, limit string
	value                int
	request              model.AppRequest
}

const etcdLong = `Creates a temporary etcd in the directory with the program installed on this machine, sends
puts to it, and removes it, also after ^C (after kill -9, run loadline cleanup DIR).
Started by root, it runs as the user etcd, or nobody. It listens only on sockets in a
directory that no other user can enter.

Each number of clients is measured several times in random order until its 95 % interval is
as narrow as --precision or --max-time is over. Next to the puts per second are etcd's own
counts per put: flushes of its log and their time, log bytes, I/Os of the device. The
goal is etcd's recommendation: 99 % of the flushes of its log take less than 10 ms.

--clients or --rate define a load of your own instead of a profile. With --rate, puts are
due at random times (an open loop), and their latencies count from then; those that
--latency-limit skips count as slower than the limit and are never dropped.

With --hosts etcd runs in the directory on that host, which needs loadline and etcd.

Not supported yet: an existing etcd, members on several machines, Kubernetes (sc:, pvc:).`

func newAppEtcd(e *env.Env) *cobra.Command {
	var o etcdOptions
	var f runFlags
	cmd := &cobra.Command{
		Use:   "etcd DIR",
		Short: "Measure puts to an etcd in a directory",
		Long: etcdLong + `

Exit codes: 0 measured; 1 failed; 2 refused before any I/O, with the reason; 3 a goal was
missed or could not be decided; 4 worse than the baseline; 5 measured, but a result is
invalid; 130 interrupted (results so far are kept).`,
		Example: `  loadline app etcd /var/lib/x --profile quick
  loadline app etcd /var/lib/x --clients 1,8,64 --etcd ~/bin/etcd`,
		Args: exactly(1, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.app(e, cmd, args, &o.options, func() (model.Experiment, error) { return o.experiment(cmd, args[0]) })
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "also measure an etcd in this `DIR`, interleaved, and compare with it")
	f.registerTrace(cmd, "the directory's block device")
	f.gate.register(cmd)
	registerGoals(cmd, &o.options)
	f.saveFlags.register(e, cmd, resultsHelp)
	f.registerPublisher(e, cmd)
	return cmd
}

// newPlanAppEtcd returns the plan verb for app etcd.
func newPlanAppEtcd(e *env.Env) *cobra.Command {
	var o etcdOptions
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "etcd DIR",
		Short: "Show what app etcd would do, with the server's settings",
		Long: `Takes the flags of app etcd and prints the plan, as plan does for run, and the settings
that etcd would be given.

Exit codes: 0 success; 1 failed; 2 refused, with the reason.`,
		Example: `  loadline plan app etcd /var/lib/x --set snapshot-count=100000`,
		Args:    exactly(1, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return planApp(e, cmd, args, &o.options, &insideFlags{}, &output, func() (model.Experiment, error) { return o.experiment(cmd, args[0]) })
		},
	}
	o.register(cmd)
	registerPlanTrace(cmd)
	registerGoals(cmd, &o.options)
	registerOutput(e, cmd, &output, textOrJSON...)
	return cmd
}

func (o *etcdOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	app, _ := application.Lookup(string(model.Etcd))
	f.StringVar(&o.profile, "profile", app.Names()[0], "loads to run: "+strings.Join(app.Names(), ", "))
	f.StringVar(&o.clients, "clients", "", "instead: numbers of clients, such as 1,16 (default with --rate: 16)")
	f.StringVar(&o.rate, "rate", "", "offer this many puts per second, at random times (an open loop)")
	f.StringVar(&o.limit, "latency-limit", "", "with --rate: skip puts later than this, such as 100ms")
	f.IntVar(&o.value, "value-size", 0, "bytes of each value (default: 2200)")
	f.StringVar(&o.request.Program, "etcd", "", "the etcd program to run, at this `PATH` (default: the one on PATH)")
	f.StringArrayVar(&o.request.Set, "set", nil, "give etcd this flag, as `NAME=VALUE` (repeatable)")
	registerLoads(cmd, &o.options)
}

// experiment returns the experiment that the flags describe.
func (o *etcdOptions) experiment(cmd *cobra.Command, target string) (exp model.Experiment, err error) {
	if err := readLoad(&o.ask, o.clients, o.rate, o.limit); err != nil {
		return exp, err
	}
	if cmd.Flags().Changed("value-size") {
		o.ask.Options = []string{etcd.ValueOption(o.value)}
		if err := etcd.CheckOptions(o.ask.Options); err != nil {
			return exp, err
		}
	}
	// The value size may be combined with a profile.
	own := o.ask
	own.Options = nil
	if own.Given() && cmd.Flags().Changed("profile") {
		return exp, model.RefusedError("--profile selects a list of loads, but --clients and --rate define one of your own", "use one or the other")
	}
	if exp, err = o.options.experiment(target); err != nil {
		return exp, err
	}
	forApp(&exp, model.Etcd, o.request, o.ask)
	return exp, nil
}
