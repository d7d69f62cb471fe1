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

// newApp is the group of the verbs that measure an application on the storage.
func newApp(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "app",
		Short: "Measure an application on the storage: PostgreSQL, etcd",
		Long: `Measures an application on the storage instead of the storage by itself, and tells what
of the result is the storage's.`,
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

const postgresLong = `Makes a PostgreSQL server of its own in the directory, with the programs of this machine,
fills it, loads it with pgbench, and removes it, also after ^C or kill -9 (then loadline
cleanup DIR). Started by root, it runs as the user postgres, or nobody. It listens on a
socket in a directory that nobody else can use.

sc:CLASS makes a claim of a Kubernetes StorageClass and a pod for it, does all that in there
with the programs of --image, and removes both; pvc:NAMESPACE/NAME does it on a claim
that exists. Server and pgbench are in one pod, which is never root. After kill -9:
loadline cleanup --namespace NAME.

Each number of clients is measured several times in random order, each time after a
CHECKPOINT, until its 95 % interval is as narrow as --precision or --max-time is up.
Beside the transactions per second stand the server's own counts for each transaction:
flushes and their time, log bytes, whole pages, reads, I/Os of the device.

--load, --clients, --threads, --connect, --rate or --script make a load of your own in
the place of a profile; --pgbench gives pgbench an option of its own, and --set the
server a setting. With --rate transactions are due at random times (an open loop);
those that --latency-limit skips are counted as slower than that, and never dropped.

With --wal the server keeps its log on a volume of its own, and a transaction's I/Os of the
two devices are counted apart. After kill -9 loadline cleanup is for both directories.

With --baseline a second server runs in another place, both are measured in turn, and
compared; where their transactions did not do the same I/O, neither is called better. Its
log is with its data, or where --baseline-wal says.

postgres://USER@HOST/DATABASE is a server that exists (version 14 to 18): nothing is started,
no setting is changed, and nothing of others is touched. A schema is made in the database
with pgbench's tables in it, and removed at the end, also after ^C; after kill -9: loadline
cleanup postgres://…. The password comes from ~/.pgpass or PGPASSWORD, and is refused in the
URL. Measure on a server that others use only when its owner knows: the load is a load.

Not supported yet: the client on another node, --hosts.`

func newAppPostgres(e *env.Env) *cobra.Command {
	var o postgresOptions
	var f runFlags
	cmd := &cobra.Command{
		Use:   "postgres DIR|sc:CLASS|pvc:CLAIM|postgres://…",
		Short: "Measure PostgreSQL in a directory, on a Kubernetes volume, or where it runs, by pgbench",
		Long: postgresLong + `

Exit codes: 0 measured; 1 failed; 2 refused before any I/O, with the reason; 3 a goal was
missed, or cannot be decided; 4 worse than the baseline; 5 measured, but a result is
invalid; 130 interrupted (what was measured is kept).`,
		Example: `  loadline app postgres /var/lib/x --profile quick
  loadline app postgres /var/lib/x --clients 1,8,32 --load simple --goal 'simple-c8 tps > 500'
  loadline app postgres sc:replicated --baseline sc:local-path --clients 1,16
  loadline app postgres postgres://bench@db1/bench --clients 1,16`,
		Args: exactly(1, "one DIR, sc:CLASS, pvc:CLAIM or postgres://…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			exp, err := o.asked(e, cmd, args, func() (model.Experiment, error) {
				exp, err := o.experiment(e, cmd, args[0])
				if err == nil && f.baseline != "" {
					err = f.gate.compare(&exp, profile.Comparison, f.baseline)
				}
				return exp, err
			})
			if err != nil {
				return err
			}
			if err := f.traceBeside(cmd.Context(), e, &o.options, exp); err != nil {
				return err
			}
			return f.measure(cmd.Context(), e, cmd, &o.options, exp)
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "measure a server in this `PLACE` as well (a DIR, sc:CLASS, pvc:CLAIM or postgres://…), interleaved, and compare with it")
	cmd.Flags().StringVar(&o.request.BaselineLog, "baseline-wal", "", "keep the baseline's log in this `PLACE` (default: with its data)")
	f.registerTrace(cmd, "the directory's block device")
	f.gate.register(cmd)
	registerGoals(cmd, &o.options)
	f.savingFlags.register(e, cmd, inRun)
	f.registerHandOn(e, cmd)
	return cmd
}

// newPlanApp is plan for an application.
func newPlanApp(e *env.Env) *cobra.Command {
	group := &cobra.Command{
		Use:   "app",
		Short: "Show what app would do",
		Args:  exactly(0, "an application: postgres or etcd"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var o postgresOptions
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "postgres DIR|sc:CLASS|pvc:CLAIM|postgres://…",
		Short: "Show what app postgres would do, with the server's settings",
		Long: `Takes the flags of app postgres and prints the plan, as plan does for run, and the
settings of the server that are not PostgreSQL's own; with --format json all of them. For
Kubernetes it prints the manifests of claim and pod; the image is not looked at, so
its version and its other settings are not known before it runs. A server that exists
(postgres://…) is connected to and looked at, and nothing is made in it.

Exit codes: 0 fine; 1 failed; 2 refused, with the reason.`,
		Example: `  loadline plan app postgres /var/lib/x --set shared_buffers=1GB
  loadline plan app postgres sc:fast --image postgres:16
  loadline plan app postgres postgres://bench@db1/bench`,
		Args: exactly(1, "one DIR, sc:CLASS, pvc:CLAIM or postgres://…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			exp, err := o.asked(e, cmd, args, func() (model.Experiment, error) { return o.experiment(e, cmd, args[0]) })
			if err != nil {
				return err
			}
			return showPlan(cmd, e, &o.options, &insideFlags{}, exp, &output)
		},
	}
	o.register(cmd)
	registerGoals(cmd, &o.options)
	registerOutput(e, cmd, &output, textOrJSON...)
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
	f.IntVar(&o.ask.Threads, "threads", 0, "threads of pgbench (default: one for each client, at most 4)")
	f.BoolVar(&o.ask.Connect, "connect", false, "open a connection for each transaction")
	f.StringVar(&o.rate, "rate", "", "offer so many transactions per second, at random times (an open loop)")
	f.StringVar(&o.limit, "latency-limit", "", "with --rate: skip transactions that are later than this, such as 100ms")
	f.StringArrayVar(&o.ask.Options, "pgbench", nil, "give pgbench this `OPTION`, in one word: --pgbench --protocol=prepared (may be given again)")
	f.StringVar(&o.request.Fit, "fit", "", "size of the data: cached (in memory, the default) or disk (twice the memory)")
	f.IntVar(&o.request.Scale, "scale", 0, "pgbench's scale instead: about 15 MiB each")
	f.StringArrayVar(&o.request.Set, "set", nil, "set this of the server's, as `NAME=VALUE` (may be given again)")
	f.StringVar(&o.request.Log, "wal", "", "keep the log (pg_wal) in this `PLACE`, on a volume of its own (a DIR; sc:CLASS or pvc:CLAIM where the data are on one)")
	registerLoads(cmd, &o.options)
	registerServerPods(cmd, &o.places.Cluster, &o.request.Image)
}

// registerLoads adds the flags of every application: which of its loads, and for how long.
func registerLoads(cmd *cobra.Command, o *options) {
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, "only these workloads (names or patterns such as 'tpcb-*')")
	f.StringSliceVar(&o.skip, "skip", nil, "not these workloads")
	f.StringVar(&o.precision, "precision", "", "relative half-width of the 95 % interval to measure until (default: the profile's, else 5%)")
	f.StringVar(&o.maxTime, "max-time", "", "bound of the measuring, such as 90s or 5m (default: the profile's, else 5m)")
	f.StringVar(&o.fixed, "time", "", "one repeat of this fixed length per workload (60s), instead of several short ones in random order")
	f.StringVar(&o.rampTime, "ramp-time", "", "with --time: unmeasured time before each repeat")
	f.IntVar(&o.repeat, "repeat", 0, "at least this many repeats per workload (default: 3)")
	f.Uint64Var(&o.seed, "seed", 0, "fix the order of the repeats (default: drawn, and saved in the plan)")
	f.StringVar(&o.note, "note", "", "a remark to keep with the run")
	o.label.register(cmd)
}

// experiment is what the flags ask for.
func (o *postgresOptions) experiment(e *env.Env, cmd *cobra.Command, target string) (exp model.Experiment, err error) {
	if err := o.read(e); err != nil {
		return exp, err
	}
	if o.ask.OwnLoad() && cmd.Flags().Changed("profile") {
		return exp, model.RefusedError("--profile is a list of loads, and --load, --clients, --threads, --connect, --rate and --script make one of your own", "give the one or the others")
	}
	if exp, err = o.options.experiment(target); err != nil {
		return exp, err
	}
	request := o.request
	request.Name, request.Ask = string(model.Postgres), o.ask
	// Its profiles have the names of others, and no flag bounds the making ready.
	exp.Scenario, exp.App, exp.MaxPrefill = application.Scenario, &request, defaultMaxPrefill
	return exp, nil
}

// read reads the flags that are text.
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

// readLoad reads the flags by which every application is loaded.
func readLoad(ask *application.Ask, clients, rate, limit string) error {
	var err error
	if ask.Clients, err = parseList("--clients", clients, strconv.Atoi); err != nil {
		return err
	}
	slices.Sort(ask.Clients)
	if rate != "" {
		if ask.Rate, err = strconv.ParseFloat(strings.TrimSuffix(rate, "/s"), 64); err != nil || !(ask.Rate > 0) {
			return model.RefusedError(fmt.Sprintf("--rate %q is no rate", rate), "write how many per second, such as --rate 500")
		}
	}
	ask.Limit, err = parseSpan("--latency-limit", limit)
	return err
}
