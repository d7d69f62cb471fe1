package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/test/cluster"
)

// TestAppPostgresVersions runs servers that keep their counts elsewhere than Debian's: 17 has the
// checkpoints in a view of their own, 18 the log's flushes in pg_stat_io.
func TestAppPostgresVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		major, node int
		class       string
	}{{17, 1, "local-path"}, {18, 2, "csi"}} {
		t.Run(fmt.Sprintf("%d on %s", c.major, c.class), func(t *testing.T) {
			t.Parallel()
			testAppVersion(t, c.major, c.node, c.class)
		})
	}
}

// versionImage makes an image of the lab's PostgreSQL of a version, loads it on nodes and returns its name. If
// this machine cannot have it, why is the reason.
func versionImage(t *testing.T, major int, nodes ...int) (name, why string) {
	t.Helper()
	unpacked, why, err := cluster.UnpackPostgres("../../..", t.TempDir(), major)
	if err != nil {
		t.Fatal(err)
	}
	if why != "" {
		return "", why
	}
	name = fmt.Sprintf("loadline-postgres-%d:e2e", major)
	archive := filepath.Join(t.TempDir(), "image.tar")
	if err := cluster.WritePostgres(archive, name, unpacked); err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		if err := lab.LoadOn(n, archive); err != nil {
			t.Fatal(err)
		}
	}
	return name, ""
}

func testAppVersion(t *testing.T, major, onNode int, class string) {
	// Another node may be down at this time, for another test.
	name, why := versionImage(t, major, onNode)
	if why != "" {
		t.Skip(why)
	}
	node := fmt.Sprintf("node%d", onNode)
	diskOf(t, node)
	ns := namespace(t, fmt.Sprintf("app-%d", major), "restricted")
	target := []string{"app", "postgres", "sc:" + class + "?size=3Gi", "--image", name, "--node", node, "--scale", "2"}
	o := run(t, ns, slices.Concat(target, []string{"--clients", "1", "--time", "6s", "--ramp-time", "1s", "--quiet", "--format", "json"})...)
	var r appReport
	decode(t, o, &r)
	if o.code != 0 && o.code != 5 {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	version := r.Run.Prepare.App.Version
	if !strings.HasPrefix(version, fmt.Sprintf("%d.", major)) || r.Run.Environment.Cluster.Image != name {
		t.Errorf("version %q of image %q", version, r.Run.Environment.Cluster.Image)
	}
	i := slices.IndexFunc(r.Results, func(res appResult) bool { return res.Workload == "tpcb-c1" && res.Metric == "tps" })
	if i < 0 {
		t.Fatalf("no rate of transactions: %s", o.stdout)
	}
	rate, a := r.Results[i].Estimate, r.Results[i].App
	for what, v := range map[string]*float64{"flushes": a.Flushes, "flush_time": a.FlushTime, "log_bytes": a.LogBytes, "page_images": a.PageImages, "hit_rate": a.HitRate,
		"device_writes": a.DeviceWrites, "device_flushes": a.DeviceFlushes} {
		if v == nil {
			t.Fatalf("%s is not known of PostgreSQL %s: %s", what, version, o.stdout)
		}
	}
	t.Logf("PostgreSQL %s: %.1f transactions/s, each %.3f flushes of %.2f ms, %.0f B and %.2f pages of log, %.2f writes and %.2f flushes of the device, hits %.3f", version, rate,
		*a.Flushes, *a.FlushTime*1e3, *a.LogBytes, *a.PageImages, *a.DeviceWrites, *a.DeviceFlushes, *a.HitRate)
	// With one client, each commit waits for its own flush, and nothing is faster than the disk.
	if rate <= 0 || rate**a.DeviceWrites > 1100 || a.Transactions == 0 || *a.Flushes < 0.9 || *a.Flushes > 1.3 || *a.FlushTime <= 0 {
		t.Errorf("%.1f/s: %+v", rate, a)
	}
	// Each transaction changes three rows and adds one; the first change of a page takes all of it.
	if *a.LogBytes < 400 || *a.PageImages <= 0 || *a.HitRate <= 0 {
		t.Errorf("%+v", a)
	}
	nothingLeft(t, ns)
}
