package e2e

import (
	"slices"
	"strings"
	"testing"
)

// testAppLog has data and log on two claims of one class, each with its own device, and on two
// existing claims, which stay as they were.
func testAppLog(t *testing.T) {
	t.Parallel()
	diskOf(t, "node3")
	ns := namespace(t, "app-log", "restricted")
	data, log := "sc:csi-sized?size=512Mi", "sc:csi-sized?size=2Gi"
	flags := []string{data, "--wal", log, "--node", "node3", "--clients", "1"}

	plan := run(t, ns, slices.Concat([]string{"plan"}, pgbench, flags)...)
	if plan.code != 0 || strings.Count(plan.stdout, "kind: PersistentVolumeClaim\n") != 2 || !strings.Contains(plan.stdout, "mountPath: /wal") {
		t.Errorf("exit code %d: %s%s", plan.code, plan.stdout, plan.stderr)
	}
	nothingLeft(t, ns)

	o := run(t, ns, slices.Concat(pgbench, flags, []string{"--time", "6s", "--ramp-time", "1s", "--quiet", "--format", "json"})...)
	var r struct {
		Run struct {
			Environment struct {
				Cluster struct {
					Claim string
					Log   struct {
						Claim string
						Class string
						Made  bool
					}
				}
			}
			Volume struct {
				Log struct{ Target struct{ Name string } }
			}
		}
		Results []struct {
			App struct {
				Transactions  uint64
				Flushes       *float64
				DeviceFlushes *float64 `json:"device_flushes"`
				LogFlushes    *float64 `json:"log_device_flushes"`
				LogWrites     *float64 `json:"log_device_writes"`
			}
		}
	}
	decode(t, o, &r)
	if o.code != 0 && o.code != 5 || len(r.Results) != 1 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	if c := r.Run.Environment.Cluster; c.Log.Claim != c.Claim+"-wal" || c.Log.Class != "csi-sized" || !c.Log.Made || r.Run.Volume.Log.Target.Name != log {
		t.Errorf("%+v", r.Run)
	}
	a := r.Results[0].App
	if a.Transactions == 0 || a.Flushes == nil || a.DeviceFlushes == nil || a.LogFlushes == nil || a.LogWrites == nil {
		t.Fatalf("%+v", a)
	}
	t.Logf("%d transactions: %.3f flushes each, %.3f of the log's device and %.3f of the data's", a.Transactions, *a.Flushes, *a.LogFlushes, *a.DeviceFlushes)
	if *a.LogFlushes < 0.9 || *a.LogFlushes > 1.5 || *a.DeviceFlushes > 0.3 {
		t.Errorf("%+v", a)
	}
	nothingLeft(t, ns)

	// Existing claims, and a driver that is killed.
	claims := strings.NewReplacer("NAMESPACE", ns, "256Mi", "512Mi").Replace(user) + "---" + strings.NewReplacer("NAMESPACE", ns, "256Mi", "2Gi", "name: data", "name: log", "name: user", "name: other", "claimName: data", "claimName: log").Replace(user)
	kubectlIn(t, claims, "apply", "-f", "-")
	kubectl(t, "wait", "-n", ns, "pod/user", "pod/other", "--for=condition=Ready", "--timeout=180s")
	files := func() string {
		return kubectl(t, "exec", "-n", ns, "user", "--", "sh", "-c", "ls -A /data") + "/" + kubectl(t, "exec", "-n", ns, "other", "--", "sh", "-c", "ls -A /data")
	}
	before := files()
	cmd, _ := begun(t, ns, "repeat 1 ", slices.Concat(pgbench, []string{"pvc:" + ns + "/data", "--wal", "pvc:" + ns + "/log", "--clients", "2", "--max-time", "2m", "--precision", "0.01%"})...)
	if now := files(); strings.Count(now, ".loadline-") != 2 {
		t.Errorf("the server is not on both claims: %s", now)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if o := run(t, ns, "cleanup"); o.code != 0 || !strings.Contains(o.stdout, "removed pod") {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	nothingLeft(t, ns)
	if now := files(); now != before {
		t.Errorf("a kill left %s, and before there was %s", now, before)
	}
}
