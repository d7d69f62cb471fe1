package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
)

// newApp returns the group of verbs that measure an application on the storage.
func newApp(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "app",
		Short: "Measure an application on the storage: PostgreSQL, etcd",
		Long: `Measures an application on the storage instead of the storage alone, and says how much of
the result depends on the storage.`,
		Args: exactly(0, "an application: postgres or etcd"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAppPostgres(e), newAppEtcd(e))
	return cmd
}

// postgresOptions are the flags that app postgres and plan app postgres share.
type postgresOptions struct {
	options
	ask                        application.Ask
	clients, rate, limit, file string
	request                    model.AppRequest
}

const postgresLong = `Creates a temporary PostgreSQL server in the directory with the programs installed on this
machine, fills it, runs pgbench against it, and removes it, also after ^C (after kill -9,
run loadline cleanup DIR). Started by root, it runs as the user postgres, or nobody. It
listens only on a socket in a directory that no other user can enter.

sc:CLASS creates a claim of a Kubernetes StorageClass and a pod, does the same in the pod
with the programs of --image, and removes both; pvc:NAMESPACE/NAME uses an existing claim.
Server and pgbench run in one pod, which is never root. After kill -9, run
loadline cleanup --namespace NAME.

Each number of clients is measured several times in random order, each time after a
CHECKPOINT, until its 95 % interval is as narrow as --precision or --max-time is over.
Next to the transactions per second are the server's own counts per transaction:
flushes and their time, log bytes, whole pages, reads, I/Os of the device.

--load, --clients, --threads, --connect, --rate or --script define a load of your own
instead of a profile; --pgbench passes an option to pgbench, and --set sets a server
setting. With --rate, transactions are due at random times (an open loop); those that
--latency-limit skips count as slower than the limit and are never dropped.

With --wal the server keeps its log on another volume, and each transaction's I/Os are
counted separately for the two devices. After kill -9, run loadline cleanup for both
directories.

With --baseline a second server runs in another place; both are measured in turn and
compared. If their transactions did not do the same I/O, neither is called better. The
baseline's log is with its data, or where --baseline-wal says.

postgres://USER@HOST/DATABASE is an existing server (version 14 to 18): nothing is started,
no setting is changed, and nothing that belongs to others is touched. A schema with pgbench's
tables is created in the database and removed at the end, also after ^C; after kill -9, run
loadline cleanup postgres://…. The password comes from ~/.pgpass or PGPASSWORD; in the URL
it is refused. Measure a shared server only with its owner's knowledge: the load is real.

With --client-node pgbench runs in a pod of its own, on the server's node or on another one,
and reaches the server over the pod network. The time of a round trip and of a connection
is always measured, and shown with the results.

With --in-cluster the measurement runs in a Job in the cluster, so this machine may
disconnect: its progress is shown here, and its run directory is fetched (see loadline
fetch).

With --hosts the server and pgbench run in the directory on that host, which needs loadline
and PostgreSQL's programs.`

func newAppPostgres(e *env.Env) *cobra.Command {
	var o postgresOptions
	var f runFlags
	cmd := &cobra.Command{
		Use:   "postgres DIR|sc:CLASS|pvc:CLAIM|postgres://…",
		Short: "Measure PostgreSQL with pgbench: in a directory, on a Kubernetes volume, or an existing server",
		Long: postgresLong + `

Exit codes: 0 measured; 1 failed; 2 refused before any I/O, with the reason; 3 a goal was
missed or could not be decided; 4 worse than the baseline; 5 measured, but a result is
invalid; 130 interrupted (results so far are kept).`,
		Example: `  loadline app postgres /var/lib/x --profile quick
  loadline app postgres /var/lib/x --clients 1,8,32 --load simple --goal 'simple-c8 tps > 500'
  loadline app postgres sc:replicated --baseline sc:local-path --clients 1,16
  loadline app postgres sc:replicated --in-cluster --detach
  loadline app postgres postgres://bench@db1/bench --clients 1,16`,
		Args: exactly(1, "one DIR, sc:CLASS, pvc:CLAIM or postgres://…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.app(e, cmd, args, &o.options, func() (model.Experiment, error) { return o.experiment(e, cmd, args[0]) })
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "also measure a server in this `PLACE` (a DIR, sc:CLASS, pvc:CLAIM or postgres://…), interleaved, and compare with it")
	cmd.Flags().StringVar(&o.request.BaselineLog, "baseline-wal", "", "keep the baseline's log in this `PLACE` (default: with its data)")
	cmd.Flags().StringVar(&o.request.BaselineClient, "baseline-client-node", "", "the same for the baseline's pgbench (default: in its server's pod)")
	f.registerTrace(cmd, "the directory's block device"+tracerHelp)
	f.registerAmplification(cmd)
	f.gate.register(cmd)
	f.inside.register(cmd)
	registerGoals(cmd, &o.options)
	f.saveFlags.register(e, cmd, resultsHelp)
	f.registerPublisher(e, cmd)
	return cmd
}

// app measures an application and, if the flags ask for it, its baseline.
func (f *runFlags) app(e *env.Env, cmd *cobra.Command, args []string, o *options, experiment func() (model.Experiment, error)) error {
	if err := f.inside.check(cmd); err != nil {
		return err
	}
	exp, err := o.requestedExperiment(e, cmd, args, func() (model.Experiment, error) {
		exp, err := experiment()
		if err == nil && f.baseline != "" {
			err = f.gate.compare(&exp, profile.Comparison, f.baseline)
		}
		return exp, err
	})
	if err != nil {
		return err
	}
	if err := f.setupTrace(cmd.Context(), e, o, exp); err != nil {
		return err
	}
	if err := f.amplify(cmd.Context(), e, o, exp); err != nil {
		return err
	}
	return f.measure(cmd.Context(), e, cmd, o, exp)
}

// planApp shows what app would do.
func planApp(e *env.Env, cmd *cobra.Command, args []string, o *options, inside *insideFlags, output *outputFlags, experiment func() (model.Experiment, error)) error {
	exp, err := o.requestedExperiment(e, cmd, args, experiment)
	if err != nil {
		return err
	}
	return showPlan(cmd, e, o, inside, exp, output)
}

// forApp turns an experiment into one that measures an application.
func forApp(exp *model.Experiment, name model.TargetKind, request model.AppRequest, ask application.Ask) {
	request.Name, request.Ask = string(name), ask
	// Application profiles have their own names, and no flag limits the preparation time.
	exp.Scenario, exp.App, exp.MaxPrefill = application.Scenario, &request, defaultMaxPrefill
}

// newPlanApp returns the plan verb for applications.
func newPlanApp(e *env.Env) *cobra.Command {
	group := &cobra.Command{
		Use:   "app",
		Short: "Show what app would do",
		Args:  exactly(0, "an application: postgres or etcd"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var o postgresOptions
	var output outputFlags
	var inside insideFlags
	cmd := &cobra.Command{
		Use:   "postgres DIR|sc:CLASS|pvc:CLAIM|postgres://…",
		Short: "Show what app postgres would do, with the server's settings",
		Long: `Takes the flags of app postgres and prints the plan, as plan does for run, and the server
settings that differ from PostgreSQL's defaults; with --format json all of them. For
Kubernetes it prints the manifests of claim and pod; the image is not examined, so its
version and its other settings are not known before it runs. With --in-cluster it prints
the manifest of the Job. It connects to an existing
server (postgres://…) and examines it, but creates nothing there.

Exit codes: 0 success; 1 failed; 2 refused, with the reason.`,
		Example: `  loadline plan app postgres /var/lib/x --set shared_buffers=1GB
  loadline plan app postgres sc:fast --image postgres:16
  loadline plan app postgres postgres://bench@db1/bench`,
		Args: exactly(1, "one DIR, sc:CLASS, pvc:CLAIM or postgres://…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return planApp(e, cmd, args, &o.options, &inside, &output, func() (model.Experiment, error) { return o.experiment(e, cmd, args[0]) })
		},
	}
	o.register(cmd)
	registerPlanTrace(cmd)
	registerPlanAmplification(cmd)
	registerGoals(cmd, &o.options)
	inside.register(cmd)
	registerOutput(e, cmd, &output, textOrJSON...)
	output.plain = func() bool { return inside.on }
	group.AddCommand(cmd, newPlanAppEtcd(e))
	return group
}

func (o *postgresOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	pg, _ := application.Lookup(string(model.Postgres))
	f.StringVar(&o.profile, "profile", pg.Names()[0], "loads to run: "+strings.Join(pg.Names(), ", "))
	f.StringVar(&o.ask.Load, "load", "", "instead: transactions of this `KIND`: tpcb, simple (one update) or select")
	f.StringVar(&o.file, "script", "", "instead: transactions of this pgbench script `FILE`")
	f.StringVar(&o.clients, "clients", "", "numbers of clients, such as 1,16 (default with --load: 16)")
	countVar(f, count{name: "threads", to: &o.ask.Threads, least: 1, most: mostThreads}, 0, "threads of pgbench (default: one for each client, at most 4)")
	f.BoolVar(&o.ask.Connect, "connect", false, "open a connection for each transaction")
	f.StringVar(&o.rate, "rate", "", "offer this many transactions per second, at random times (an open loop)")
	f.StringVar(&o.limit, "latency-limit", "", "with --rate: skip transactions later than this, such as 100ms")
	f.StringArrayVar(&o.ask.Options, "pgbench", nil, "pass pgbench this `OPTION`, as one word: --pgbench --protocol=prepared (repeatable)")
	f.StringVar(&o.request.Fit, "fit", "", "size of the data: cached (in memory, the default) or disk (twice the memory)")
	countVar(f, count{name: "scale", to: &o.request.Scale, least: 1, most: mostScale}, 0, "pgbench's scale instead: about 15 MiB each")
	f.StringArrayVar(&o.request.Set, "set", nil, "set this server setting, as `NAME=VALUE` (repeatable)")
	f.StringVar(&o.request.Log, "wal", "", "keep the log (pg_wal) in this `PLACE`, on a separate volume (a DIR; sc:CLASS or pvc:CLAIM if the data are on one)")
	f.StringVar(&o.request.Client, "client-node", "", "Kubernetes: run pgbench in its own pod, on this `NODE`, on any other than the server's (other) or on the server's (same) (default: in the server's pod)")
	registerLoads(cmd, &o.options)
	registerServerPods(cmd, &o.places.Cluster, &o.request.Image)
}

// registerLoads adds the flags that all applications share: which loads to run, and for how long.
func registerLoads(cmd *cobra.Command, o *options) {
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, "only these workloads (names or patterns such as 'tpcb-*')")
	f.StringSliceVar(&o.skip, "skip", nil, "not these workloads")
	f.StringVar(&o.precision, "precision", "", "relative half-width of the 95 % interval to measure until (default: the profile's, else 5%)")
	f.StringVar(&o.maxTime, "max-time", "", "maximum measuring time, such as 90s or 5m, up to a year, 8760h (default: the profile's, else 5m; at least twice that if two targets are compared)")
	f.StringVar(&o.fixed, "time", "", "one repeat of this fixed length per workload (60s), instead of several short ones in random order")
	f.StringVar(&o.rampTime, "ramp-time", "", "with --time: unmeasured time before each repeat")
	repeatVar(f, &o.repeat, "at least this many repeats per workload (2 to 10000; default: 3)")
	seedVar(f, &o.seed)
	f.StringVar(&o.note, "note", "", "a note to save with the run")
	o.label.register(cmd)
	f.StringSliceVar(&o.places.Hosts, "hosts", nil, "measure a DIR of this `HOST` over ssh, a machine with loadline and the server's programs")
}

// experiment returns the experiment that the flags describe.
func (o *postgresOptions) experiment(e *env.Env, cmd *cobra.Command, target string) (exp model.Experiment, err error) {
	if err := o.read(e); err != nil {
		return exp, err
	}
	if o.ask.OwnLoad() && cmd.Flags().Changed("profile") {
		return exp, model.RefusedError("--profile selects a list of loads, but --load, --clients, --threads, --connect, --rate and --script define one of your own", "use one or the other")
	}
	if exp, err = o.options.experiment(target); err != nil {
		return exp, err
	}
	forApp(&exp, model.Postgres, o.request, o.ask)
	return exp, nil
}

// read parses the flags that are given as text.
func (o *postgresOptions) read(e *env.Env) error {
	if err := postgres.CheckOptions(o.ask.Options); err != nil {
		return err
	}
	if err := readLoad(&o.ask, o.clients, o.rate, o.limit); err != nil {
		return err
	}
	if o.file != "" {
		text, err := spec.Read(e.ReadFile, "--script", o.file)
		if err != nil {
			return err
		}
		o.ask.Script = string(text)
	}
	return nil
}

// readLoad parses the load flags that all applications share.
func readLoad(ask *application.Ask, clients, rate, limit string) error {
	var err error
	if ask.Clients, err = parseList("--clients", clients, strconv.Atoi); err != nil {
		return err
	}
	slices.Sort(ask.Clients)
	if rate != "" {
		if ask.Rate, err = strconv.ParseFloat(strings.TrimSuffix(rate, "/s"), 64); err != nil || !(ask.Rate > 0) {
			return model.RefusedError(fmt.Sprintf("--rate %q is not a rate", rate), "give a number per second, such as --rate 500")
		}
	}
	ask.Limit, err = parseSpan("--latency-limit", limit)
	return err
}
