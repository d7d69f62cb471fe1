package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/loadline/loadline/test/cluster"
)

// appReport is what the tests read of a report in addition to report.
type appReport struct {
	Run struct {
		Target  struct{ Name string }
		Prepare struct {
			App struct {
				Version string
				Scale   int
			}
		}
		Environment struct {
			Cluster struct {
				Image    string
				Identity struct{ User int64 }
			}
		}
	}
	Results []appResult
}

type appResult struct {
	Workload, Metric, Verdict string
	Estimate                  float64
	App                       struct {
		Transactions  uint64
		Flushes       *float64
		FlushTime     *float64 `json:"flush_time"`
		LogBytes      *float64 `json:"log_bytes"`
		PageImages    *float64 `json:"page_images"`
		HitRate       *float64 `json:"hit_rate"`
		DeviceWrites  *float64 `json:"device_writes"`
		DeviceFlushes *float64 `json:"device_flushes"`
	}
}

// pgbench is a run of a few seconds in a claim that has room for the server's log.
var pgbench = []string{"app", "postgres", "--image", postgresImage, "--scale", "2"}

// TestAppPostgres runs PostgreSQL from its own image on the cluster's volumes. The node disks do
// 1,000 I/Os per second each.
func TestAppPostgres(t *testing.T) {
	if why := cluster.MissingPostgres(); why != "" {
		t.Skip("skipped:", why)
	}
	t.Parallel()
	t.Run("a class, with the least rights", testAppClass)
	t.Run("a claim of somebody's", testAppClaim)
	t.Run("a log of its own", testAppLog)
	t.Run("ended by somebody", testAppEnded)
	t.Run("killed", testAppKilled)
	t.Run("from a Job", testAppJob)
	t.Run("held against a directory of this machine", testAppPlaces)
	t.Run("what cannot be", testAppRefused)
}

func testAppClass(t *testing.T) {
	t.Parallel()
	diskOf(t, "node2")
	ns := namespace(t, "app-class", "restricted")
	role, err := os.ReadFile("../../../deploy/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kubectlIn(t, string(role), "apply", "-n", ns, "-f", "-")
	kubectl(t, "create", "serviceaccount", "dev", "-n", ns)
	kubectl(t, "create", "rolebinding", "dev", "-n", ns, "--role", "loadline", "--serviceaccount", ns+":dev")
	dev := "system:serviceaccount:" + ns + ":dev"
	target := []string{"sc:local-path?size=3Gi", "--node", "node2"}

	plan := runAs(t, dev, ns, slices.Concat([]string{"plan"}, pgbench, target)...)
	if plan.code != 0 || !strings.Contains(plan.stdout, "kind: StatefulSet\n") {
		t.Errorf("exit code %d: %s%s", plan.code, plan.stdout, plan.stderr)
	}
	nothingLeft(t, ns)

	o := runAs(t, dev, ns, slices.Concat(pgbench, target, []string{"--clients", "1,4", "--time", "6s", "--ramp-time", "1s", "--quiet", "--format", "json"})...)
	var r appReport
	decode(t, o, &r)
	if o.code != 0 && o.code != 5 {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	if run := r.Run; run.Prepare.App.Scale != 2 || run.Prepare.App.Version == "" || run.Environment.Cluster.Image != postgresImage || run.Environment.Cluster.Identity.User != 10001 {
		t.Errorf("%+v", run)
	}
	seen := 0
	for _, res := range r.Results {
		if res.Metric != "tps" {
			continue
		}
		seen++
		a := res.App
		if a.Transactions == 0 || a.Flushes == nil || a.DeviceWrites == nil || a.DeviceFlushes == nil {
			t.Errorf("%s is not known: %+v", res.Workload, a)
			continue
		}
		// With one client, each commit waits for its own flush, and nothing is faster than the disk.
		if res.Workload == "tpcb-c1" && (*a.Flushes < 0.9 || *a.Flushes > 1.3) {
			t.Errorf("%s: %.2f flushes for each transaction", res.Workload, *a.Flushes)
		}
		if rate := res.Estimate * *a.DeviceWrites; rate > 1100 {
			t.Errorf("%s: %.0f writes/s where the disk carries 1,000", res.Workload, rate)
		}
	}
	if seen != 2 {
		t.Errorf("%d loads: %s", seen, o.stdout)
	}
	nothingLeft(t, ns)
}

// A Job inside the cluster starts the server and measures it, and its run directory is fetched.
func testAppJob(t *testing.T) {
	t.Parallel()
	diskOf(t, "node3")
	ns := namespace(t, "app-job", "restricted")
	results := t.TempDir()
	o := run(t, ns, slices.Concat(pgbench, []string{"sc:local-path?size=3Gi", "--node", "node3", "--client-node", "other", "--in-cluster", "--set", "checkpoint_timeout=30min",
		"--clients", "1", "--time", "6s", "--ramp-time", "1s", "--results", results, "--format", "json"})...)
	var r clientReport
	decode(t, o, &r)
	if o.code != 0 && o.code != 5 {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	if run := r.Run; run.Prepare.App.Scale != 2 || run.Prepare.App.Version == "" || run.Environment.Cluster.Image != postgresImage {
		t.Errorf("%+v", run)
	}
	if at := r.Run.Environment.Cluster; at.Node != "node3" || at.Client.Node == "" || at.Client.Node == "node3" || r.Run.Prepare.App.RoundTrip <= 0 {
		t.Errorf("the server and its client: %+v, %+v", at, r.Run.Prepare.App)
	}
	i := slices.IndexFunc(r.Results, func(res appResult) bool { return res.Workload == "tpcb-c1" && res.Metric == "tps" })
	if i < 0 {
		t.Fatalf("no rate of transactions: %s", o.stdout)
	}
	if a := r.Results[i].App; a.Transactions == 0 || a.Flushes == nil || *a.Flushes < 0.9 || *a.Flushes > 1.3 {
		t.Errorf("%+v", r.Results[i])
	}
	said(t, o, "made for it", "repeat 1 ")
	home(t, results, 1)
	nothingInside(t, ns)
}

// A server in a pod and one on this machine run at the same time and are loaded in turn.
func testAppPlaces(t *testing.T) {
	t.Parallel()
	diskOf(t, "node1")
	ns := namespace(t, "app-places", "restricted")
	// The server on this machine is not root's.
	dir, err := os.MkdirTemp("", "loadline-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	o := run(t, ns, slices.Concat(pgbench, []string{"sc:local-path?size=3Gi", "--baseline", dir, "--node", "node1", "--clients", "1", "--repeat", "2", "--max-time", "20s", "--quiet", "--format", "json"})...)
	var r struct {
		appReport
		Comparison comparison
	}
	decode(t, o, &r)
	if o.code != 0 && o.code != 4 && o.code != 5 {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	seen := false
	for _, row := range r.Comparison.Rows {
		if row.Workload == "tpcb-c1" && row.Metric == "tps" {
			seen = row.A.Estimate > 0 && row.B.Estimate > 0
			t.Logf("%.1f/s on this machine, %.1f/s in a pod (%s)", row.A.Estimate, row.B.Estimate, row.Trust)
		}
	}
	if a, b := r.Comparison.A.Environment.Cluster, r.Comparison.B.Environment.Cluster; !seen || a.Class != "" || b.Class != "local-path" || b.Node != "node1" {
		t.Errorf("%+v", r.Comparison)
	}
	nothingLeft(t, ns)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left here: %v, %v", left, err)
	}
}

// Whatever ends a run early, an existing claim stays as it was.
func testAppClaim(t *testing.T) {
	t.Parallel()
	diskOf(t, "node1")
	ns := namespace(t, "app-claim", "restricted")
	kubectlIn(t, strings.NewReplacer("NAMESPACE", ns, "256Mi", "3Gi", "node3", "node1").Replace(user), "apply", "-f", "-")
	kubectl(t, "wait", "-n", ns, "pod/user", "--for=condition=Ready", "--timeout=180s")
	files := func() string {
		return kubectl(t, "exec", "-n", ns, "user", "--", "sh", "-c", "ls -A /data")
	}
	before := files()
	long := slices.Concat(pgbench, []string{"pvc:" + ns + "/data", "--clients", "2", "--max-time", "2m", "--precision", "0.01%"})

	cmd, progress := begun(t, ns, "repeat 1 ", long...)
	if now := files(); !strings.Contains(now, ".loadline-") {
		t.Errorf("the server is not on the claim: %s", now)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := ended(t, cmd); code != 130 {
		t.Errorf("exit code %d: %s", code, progress)
	}
	nothingLeft(t, ns)
	if now := files(); now != before {
		t.Errorf("an interrupt left %s", now)
	}

	cmd, _ = begun(t, ns, "repeat 1 ", long...)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if o := run(t, ns, "cleanup"); o.code != 0 || !strings.Contains(o.stdout, "removed pod") || !strings.Contains(o.stdout, "removed statefulset") {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	nothingLeft(t, ns)
	if now := files(); now != before {
		t.Errorf("a kill left %s", now)
	}
}

// The cluster starts a StatefulSet's container again and makes its pod again, and a measurement must not go
// on there as if nothing had happened.
func testAppEnded(t *testing.T) {
	t.Parallel()
	diskOf(t, "node2")
	ns := namespace(t, "app-ended", "restricted")
	long := slices.Concat(pgbench, []string{"sc:local-path?size=3Gi", "--node", "node2", "--clients", "2", "--max-time", "2m", "--precision", "0.01%"})
	for words, end := range map[string]func(pod string){
		"ended with exit code": func(pod string) { kubectl(t, "exec", "-n", ns, pod, "--", "sh", "-c", "kill 1") },
		"deleted": func(pod string) {
			kubectl(t, "delete", "pod", "-n", ns, pod, "--wait=false", "--grace-period=1")
		},
	} {
		cmd, progress := begun(t, ns, "repeat 1 ", long...)
		pod := kubectl(t, "get", "pods", "-n", ns, "-l", "loadline/run", "-o", "jsonpath={.items[*].metadata.name}")
		if !strings.HasSuffix(pod, "-0") {
			t.Errorf("the pods are %q", pod)
		}
		end(pod)
		if code := ended(t, cmd); code != 1 || !strings.Contains(progress.String(), pod) || !strings.Contains(progress.String(), words) {
			t.Errorf("exit code %d, want %q: %s", code, words, progress)
		}
		nothingLeft(t, ns)
	}
}

// A worker that is killed can remove nothing; the one that is started in its place does, before its pod is removed.
func testAppKilled(t *testing.T) {
	t.Parallel()
	diskOf(t, "node3")
	ns := namespace(t, "app-killed", "restricted")
	kubectlIn(t, strings.NewReplacer("NAMESPACE", ns, "256Mi", "3Gi").Replace(user), "apply", "-f", "-")
	kubectl(t, "wait", "-n", ns, "pod/user", "--for=condition=Ready", "--timeout=180s")
	files := func() string { return kubectl(t, "exec", "-n", ns, "user", "--", "sh", "-c", "ls -A /data") }
	before := files()
	cmd, progress := begun(t, ns, "repeat 1 ", slices.Concat(pgbench, []string{"pvc:" + ns + "/data", "--clients", "2", "--max-time", "2m", "--precision", "0.01%"})...)
	pod := kubectl(t, "get", "pods", "-n", ns, "-l", "loadline/run", "-o", "jsonpath={.items[*].metadata.name}")
	if err := syscall.Kill(workerOf(t, pod), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if code := ended(t, cmd); code != 1 || !strings.Contains(progress.String(), "ended with exit code 137") {
		t.Errorf("exit code %d: %s", code, progress)
	}
	nothingLeft(t, ns)
	if now := files(); now != before {
		t.Errorf("left in the claim: %s", now)
	}
}

// workerOf returns the process of the worker in a StatefulSet's pod; its ID contains the characters drawn for this run.
func workerOf(t *testing.T, pod string) int {
	t.Helper()
	run := strings.TrimSuffix(strings.TrimPrefix(pod, "loadline-"), "-0")
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		words, _ := os.ReadFile(file)
		if args := strings.Split(string(words), "\x00"); len(args) > 3 && filepath.Base(args[0]) == "loadline-agent" && args[1] == "--run-id" && args[2] == run {
			id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
	}
	t.Fatalf("no process is the worker of %s", pod)
	return 0
}

func testAppRefused(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "app-refused", "restricted")
	for name, c := range map[string]struct {
		args  []string
		code  int
		words []string
	}{
		"no image":         {[]string{"--image", "localhost:1/no/such:1"}, 1, []string{"localhost:1/no/such:1", "check --image"}},
		"no worker":        {[]string{"--image", postgresImage, "--worker-image", "loadline.test/pause:1"}, 1, []string{"could not start its program", "check --worker-image: it must hold loadline-agent"}},
		"no PostgreSQL":    {[]string{"--image", image}, 2, []string{"the pod's image has no PostgreSQL to measure", "--image postgres:17"}},
		"no such setting":  {[]string{"--image", postgresImage, "--set", "fsnyc=off"}, 2, []string{`has no setting "fsnyc"`}},
		"no room":          {[]string{"--image", postgresImage, "--scale", "100"}, 2, []string{"scale 100 needs", "can spare"}},
		"no node for that": {[]string{"--image", postgresImage, "--node", "node9"}, 1, []string{"the scheduler says", "NodeAffinity"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Only the pod that fits no node waits for as long as this; some of the others have to run first.
			ready := "2m"
			if name == "no node for that" {
				ready = "30s"
			}
			o := run(t, ns, append([]string{"app", "postgres", "sc:csi?size=2Gi", "--ready-within", ready}, c.args...)...)
			if o.code != c.code {
				t.Errorf("exit code %d, want %d", o.code, c.code)
			}
			said(t, o, c.words...)
		})
	}
	t.Cleanup(func() { nothingLeft(t, ns) })
}

// writesEach is how many writes a transaction makes, as measured: that of its log, and a few of the tables.
const writesEach = 1.01

// testLonghornPostgres compares a database on a replicated volume with one on a disk of the same
// speed: the cost of its writes there follows from the limits of the disks.
func testLonghornPostgres(t *testing.T) {
	ns := namespace(t, "lh-app", "restricted")
	// PostgreSQL 15 and 17 run on single disks in the other tests.
	name, why := versionImage(t, 18, 1, 2, 3)
	if why != "" {
		t.Log("with the version of this machine's packages:", why)
		if name = postgresImage; cluster.MissingPostgres() != "" {
			t.Skip("skipped:", cluster.MissingPostgres())
		}
	}
	o := run(t, ns, "app", "postgres", "--image", name, "--scale", "2", "sc:longhorn?size=3Gi", "--baseline", "sc:replica-disk?size=3Gi", "--clients", "1,10", "--max-time", "100s",
		"--quiet", "--format", "json")
	var r struct {
		appReport
		Comparison comparison
	}
	decode(t, o, &r)
	if o.code != 4 && o.code != 5 && o.code != 0 || len(r.Comparison.Rows) == 0 {
		t.Fatalf("exit code %d, %+v: %s", o.code, r.Comparison, o.stderr)
	}
	for _, row := range r.Comparison.Rows {
		if row.Metric == "tps" {
			t.Logf("%s: %.1f on a disk, %.1f on three replicas (%s)", row.Workload, row.A.Estimate, row.B.Estimate, row.Trust)
			near(t, row.Workload+" on one disk, writes", row.A.Estimate*writesEach, slowDisk, row.Trust)
		}
	}
	for _, res := range r.Results {
		if a := res.App; res.Metric == "tps" && a.DeviceWrites != nil && a.Flushes != nil {
			writes := res.Estimate * *a.DeviceWrites
			t.Logf("%s: %.2f flushes and %.2f writes for each transaction, %.0f writes/s", res.Workload, *a.Flushes, *a.DeviceWrites, writes)
			near(t, res.Workload+" on three replicas, writes", writes, allWrites, res.Verdict)
		}
	}
	if a, b := r.Comparison.A.Environment.Cluster, r.Comparison.B.Environment.Cluster; a.Node != b.Node || a.Class != "replica-disk" || b.Class != "longhorn" {
		t.Errorf("the sides were on %s of %s and %s of %s", a.Class, a.Node, b.Class, b.Node)
	}
	nothingLeft(t, ns)
}
