package truth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// A real replicated image is prefilled, verified by reading back, measured, and
// refused without permission. Its rates depend on the machine and are not asserted. The
// lab's own guarantees are tested here too, because a cluster takes a minute to start.
func TestCephImage(t *testing.T) {
	takeSlots(t, demand{class: bestEffort, seconds: 45})
	d := lab.Ceph(t, 64<<20)
	if os.Getenv("CEPH_CONF") == "" {
		t.Error("CEPH_CONF is not set: nothing would find the cluster")
	}
	o := command(t.Context(), t, "run", d.Target(), "--profile", "quick", "--results", t.TempDir())
	if o.code != 2 {
		t.Errorf("writing without permission: exit code %d", o.code)
	}
	o = measure(t.Context(), t, d.Target(), "--profile", "quick", "--only", "rand-*", "--size", "32M", "--time", "2s",
		"--destroy-data-on", d.Target())
	if o.code != 0 && o.code != 5 {
		t.Fatalf("exit code %d", o.code)
	}
	if o.report.Run.Volume.Engine != "rbd" || len(o.report.Results) != 4 {
		t.Errorf("engine %q, %d results", o.report.Run.Volume.Engine, len(o.report.Results))
	}
	if p := o.report.Run.Prepare; p == nil || p.Proof.Method != "read-back" || p.Proof.Unwritten != 0 || p.Proof.Checked != 32<<20 {
		t.Errorf("preparation: %+v", p)
	}
	for _, r := range o.report.Results {
		if r.Value <= 0 || r.Latency == nil {
			t.Errorf("%s: %+v", r.Workload, r)
		}
	}
	if o.finding("errors", model.SeverityInvalid) || o.finding("sparse", model.SeverityInvalid) {
		t.Errorf("findings: %+v", o.report.Findings)
	}
	if o := measure(t.Context(), t, d.Target(), "--profile", "postgres", "--only", "wal-8k", "--size", "32M", "--time", "2s",
		"--destroy-data-on", d.Target()); o.code != 0 && o.code != 5 || len(o.report.Results) != 2 || o.report.Results[1].Value <= 0 {
		t.Errorf("a log with flushes: exit code %d, %+v", o.code, o.report.Results)
	}
	comesAs(t, d, "bench")
	lab.Verify(t, d)
	if m := lab.Fio(t, d, lab.Job{Pattern: "randwrite", Depth: 16}); m.ExitCode != 0 || m.Total == 0 {
		t.Errorf("fio: exit code %d, %d I/Os: %s", m.ExitCode, m.Total, m.Messages)
	}
}

// comesAs measures an image as a user. The lab's cluster requires no key, but each
// client opens a log with its own name: all of them must have the user's name, for the guard's
// queries and for fio's I/O, and none the administrator's.
func comesAs(t *testing.T, d lab.Device, user string) {
	t.Helper()
	log := func(name string) string {
		return filepath.Join(filepath.Dir(os.Getenv("CEPH_CONF")), "client."+name+".log")
	}
	if err := os.Remove(log("admin")); err != nil {
		t.Fatalf("clients do not write the logs that this test looks at: %v", err)
	}
	target := d.Target() + ":id=" + user
	o := measure(t.Context(), t, target, "--profile", "quick", "--only", "rand-read-iops", "--size", "32M", "--time", "1s", "--destroy-data-on", target)
	if o.code != 0 && o.code != 5 {
		t.Fatalf("as %s: exit code %d", user, o.code)
	}
	if _, err := os.Stat(log(user)); err != nil {
		t.Errorf("nobody came as %s: %v", user, err)
	}
	if _, err := os.Stat(log("admin")); err == nil {
		t.Errorf("%s was named, and somebody came as admin", target)
	}
	for name, text := range o.report.Run.Jobs {
		if !strings.Contains(text, "clientname="+user+"\n") {
			t.Errorf("%s: fio did not come as %s: %s", name, user, text)
		}
	}
}
