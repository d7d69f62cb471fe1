package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/loadline/loadline/test/cluster"
)

// clientReport is what the tests read of a run whose client has its own pod.
type clientReport struct {
	appReport
	Run struct {
		Prepare struct {
			App struct {
				Version    string
				Scale      int
				RoundTrip  float64 `json:"round_trip"`
				Connection float64
			}
		}
		Environment struct {
			Cluster struct {
				Image, Node, Pod string
				Client           struct{ Node, Pod string }
			}
		}
	}
}

// TestAppClient runs pgbench in its own pod, beside the server or on another node.
func TestAppClient(t *testing.T) {
	if why := cluster.MissingPostgres(); why != "" {
		t.Skip("skipped:", why)
	}
	t.Parallel()
	t.Run("another node", testClientElsewhere)
	t.Run("two placements compared", testClientCompared)
	t.Run("ended in the middle", testClientEnded)
	t.Run("what cannot be", testClientRefused)
}

func testClientElsewhere(t *testing.T) {
	t.Parallel()
	diskOf(t, "node3")
	ns := namespace(t, "app-client", "restricted")
	target := []string{"sc:local-path?size=3Gi", "--node", "node3"}

	plan := run(t, ns, slices.Concat([]string{"plan"}, pgbench, target, []string{"--client-node", "other"})...)
	if plan.code != 0 || strings.Count(plan.stdout, "kind: Pod\n") != 1 || strings.Count(plan.stdout, "kind: StatefulSet\n") != 1 || strings.Count(plan.stdout, "kind: PersistentVolumeClaim\n") != 1 || !strings.Contains(plan.stdout, "operator: NotIn") {
		t.Errorf("exit code %d: %s%s", plan.code, plan.stdout, plan.stderr)
	}
	nothingLeft(t, ns)

	for _, place := range []string{"other", "same", "node1"} {
		o := run(t, ns, slices.Concat(pgbench, target, []string{"--client-node", place, "--clients", "1", "--time", "8s", "--ramp-time", "1s", "--quiet", "--format", "json"})...)
		var r clientReport
		decode(t, o, &r)
		if o.code != 0 && o.code != 5 {
			t.Errorf("exit code %d: %s", o.code, o.stderr)
		}
		at := r.Run.Environment.Cluster
		on := map[string]bool{"other": at.Client.Node == "node1" || at.Client.Node == "node2", "same": at.Client.Node == "node3", "node1": at.Client.Node == "node1"}
		if at.Node != "node3" || !on[place] || at.Client.Pod == at.Pod {
			t.Errorf("%s: the server on %s, its client on %s (%s, %s)", place, at.Node, at.Client.Node, at.Pod, at.Client.Pod)
		}
		app := r.Run.Prepare.App
		if app.RoundTrip <= 0 || app.RoundTrip > 0.02 || app.Connection <= app.RoundTrip || app.Connection > 1 {
			t.Errorf("%s: a round trip of %g s, a connection of %g s", place, app.RoundTrip, app.Connection)
		}
		for _, res := range r.Results {
			if res.Metric != "tps" {
				continue
			}
			a := res.App
			if a.Transactions == 0 || a.Flushes == nil || *a.Flushes < 0.9 || *a.Flushes > 1.3 || a.DeviceWrites == nil {
				t.Errorf("%s: %+v", place, a)
				continue
			}
			t.Logf("client on %s: %s %.1f/s, %.2f flushes for each transaction, round trip %.3f ms, connection %.1f ms", place, res.Workload, res.Estimate, *a.Flushes, 1e3*app.RoundTrip, 1e3*app.Connection)
			if rate := res.Estimate * *a.DeviceWrites; rate > 1100 {
				t.Errorf("%s: %.0f writes/s where the disk carries 1,000", place, rate)
			}
		}
		nothingLeft(t, ns)
	}
}

// Two placements of the client with one class, measured in turn: the difference is not due to the storage.
func testClientCompared(t *testing.T) {
	t.Parallel()
	diskOf(t, "node2")
	ns := namespace(t, "app-client-two", "restricted")
	o := run(t, ns, slices.Concat(pgbench, []string{"sc:local-path?size=3Gi", "--baseline", "sc:local-path?size=3Gi", "--node", "node2", "--client-node", "other",
		"--connect", "--load", "select", "--clients", "1", "--max-time", "40s", "--quiet", "--format", "json"})...)
	var r struct {
		Comparison struct {
			A, B struct {
				Environment struct {
					Cluster struct{ Client *struct{ Node string } }
				}
			}
			Rows []struct {
				Workload, Metric, Verdict string
				A, B                      struct{ Estimate float64 }
			}
			Findings []struct{ Rule, Message string }
		}
	}
	decode(t, o, &r)
	if at := r.Comparison.A.Environment.Cluster.Client; at != nil {
		t.Errorf("the baseline's client is on %s", at.Node)
	}
	if at := r.Comparison.B.Environment.Cluster.Client; at == nil || at.Node == "node2" {
		t.Errorf("the client: %+v", at)
	}
	if len(r.Comparison.Rows) == 0 {
		t.Errorf("exit code %d, no rows: %s", o.code, o.stderr)
	}
	for _, row := range r.Comparison.Rows {
		if row.Verdict == "better" || row.Verdict == "worse" {
			t.Errorf("%s %s is called %s", row.Workload, row.Metric, row.Verdict)
		}
		t.Logf("%s %s: %.4g beside the server, %.4g on another node: %s", row.Workload, row.Metric, row.A.Estimate, row.B.Estimate, row.Verdict)
	}
	said := false
	for _, f := range r.Comparison.Findings {
		if f.Rule == "placed-differently" {
			said = true
			t.Log(f.Message)
		}
	}
	// A connection from another pod is authenticated by password, which alone takes milliseconds.
	if !said {
		t.Errorf("nobody says that the clients are placed differently: %+v", r.Comparison.Findings)
	}
	nothingLeft(t, ns)
}

// Whatever ends a run, both pods are removed, and a lost client is reported.
func testClientEnded(t *testing.T) {
	t.Parallel()
	diskOf(t, "node1")
	ns := namespace(t, "app-client-end", "restricted")
	long := slices.Concat(pgbench, []string{"sc:local-path?size=3Gi", "--node", "node1", "--client-node", "other", "--clients", "2", "--max-time", "2m", "--precision", "0.01%"})
	pods := func() []string {
		return strings.Fields(kubectl(t, "get", "pods", "-n", ns, "-l", "loadline/run", "-o", "jsonpath={.items[*].metadata.name}"))
	}

	cmd, progress := begun(t, ns, "repeat 1 ", long...)
	if len(pods()) != 2 {
		t.Errorf("pods: %q", pods())
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := ended(t, cmd); code != 130 {
		t.Errorf("exit code %d: %s", code, progress)
	}
	nothingLeft(t, ns)

	cmd, _ = begun(t, ns, "repeat 1 ", long...)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if o := run(t, ns, "cleanup"); o.code != 0 || strings.Count(o.stdout, "removed pod") != 2 {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	nothingLeft(t, ns)

	cmd, progress = begun(t, ns, "repeat 1 ", long...)
	for _, pod := range pods() {
		if strings.HasSuffix(pod, "-cl") {
			kubectl(t, "delete", "pod", "-n", ns, pod, "--wait=false", "--grace-period=1")
		}
	}
	if code := ended(t, cmd); code != 1 || !strings.Contains(progress.String(), "the client's pod was lost") {
		t.Errorf("exit code %d: %s", code, progress)
	}
	nothingLeft(t, ns)
}

func testClientRefused(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "app-client-no", "restricted")
	for name, c := range map[string]struct {
		args  []string
		words []string
	}{
		"no such node":            {[]string{"sc:local-path", "--client-node", "node9"}, []string{"--client-node node9: the cluster has no such node", "kubectl get nodes"}},
		"not in a cluster":        {[]string{t.TempDir(), "--client-node", "other"}, []string{"is in none", "leave it out"}},
		"no baseline":             {[]string{"sc:local-path", "--baseline-client-node", "other"}, []string{"there is none", "--client-node"}},
		"a baseline that is here": {[]string{"sc:local-path", "--baseline", t.TempDir(), "--baseline-client-node", "same"}, []string{"is in none"}},
	} {
		o := run(t, ns, append([]string{"app", "postgres", "--image", postgresImage}, c.args...)...)
		if o.code != 2 {
			t.Errorf("%s: exit code %d", name, o.code)
		}
		said(t, o, c.words...)
	}
	nothingLeft(t, ns)
}
