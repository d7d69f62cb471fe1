package asked

import "github.com/loadline/loadline/internal/plan/application"

// help is what "app postgres" and "plan app postgres" say of themselves.
var help = application.Help{
	Targets: "DIR|sc:CLASS|pvc:CLAIM|postgres://…", Target: "one DIR, sc:CLASS, pvc:CLAIM or postgres://…",
	Short: "Measure PostgreSQL with pgbench: in a directory, on a Kubernetes volume, or an existing server",
	Long: `Creates a temporary PostgreSQL server in the directory with the programs installed on this
machine, fills it, runs pgbench against it, and removes it, even after ^C (after kill -9,
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
--latency-limit skips are counted in the percentiles, as slower than the limit.

With --wal the server keeps its log on another volume, and each transaction's I/Os are
counted separately for the two devices. After kill -9, run loadline cleanup for both
directories.

With --baseline a second server runs in another place; both are measured in turn and
compared. If their transactions did not do the same I/O, neither is called better. The
baseline's log is with its data, or where --baseline-wal says. loadline compare app postgres
BASELINE PLACE is the same measurement.

postgres://USER@HOST/DATABASE is an existing server (version 14 to 18): nothing is started,
no setting is changed, and nothing that belongs to others is touched. A schema with pgbench's
tables is created in the database and removed at the end, even after ^C; after kill -9, run
loadline cleanup postgres://…. The password comes from ~/.pgpass or PGPASSWORD; in the URL
it is refused. Measure a shared server only with its owner's knowledge: the load is real.

With --client-node pgbench runs in a pod of its own, on the server's node or on another one,
and reaches the server over the pod network. The time of a round trip and of a connection
is always measured, and shown with the results.

With --in-cluster the measurement runs in a Job in the cluster, so this machine may
disconnect: its progress is shown here, and its run directory is fetched (see loadline
fetch).

With --hosts the server and pgbench run in the directory on that host, which needs loadline
and PostgreSQL's programs.`,
	Examples: `  loadline app postgres /var/lib/x --profile quick
  loadline app postgres /var/lib/x --clients 1,8,32 --load simple --goal 'simple-c8 tps > 500'
  loadline app postgres sc:replicated --baseline sc:local-path --clients 1,16
  loadline app postgres sc:replicated --in-cluster --detach
  loadline app postgres postgres://bench@db1/bench --clients 1,16`,
	Baseline: "also measure a server in this `PLACE` (a DIR, sc:CLASS, pvc:CLAIM or postgres://…), interleaved, and compare with it",
	PlanLong: `Takes the flags of app postgres and prints the plan, as plan does for run, and the server
settings that differ from PostgreSQL's defaults; with --format json all of them. For
Kubernetes it prints the manifests of claim and pod; the image is not examined, so its
version and its other settings are not known before it runs. With --in-cluster it prints
the manifest of the Job. It connects to an existing
server (postgres://…) and examines it, but creates nothing there.`,
	CompareExamples: `  loadline compare app postgres /srv/old /srv/new --clients 1,16
  loadline compare app postgres sc:local-path sc:replicated --profile quick
  loadline compare app postgres /var/lib/x sc:replicated --margin 10% --fail-on worse,unclear
  loadline compare app postgres postgres://bench@old/bench postgres://bench@new/bench`,
	PlanExamples: `  loadline plan app postgres /var/lib/x --set shared_buffers=1GB
  loadline plan app postgres sc:fast --image postgres:16
  loadline plan app postgres postgres://bench@db1/bench`,
}
