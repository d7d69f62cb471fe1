package truth

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/test/lab"
)

// withPerfmon returns the command of a trace by perf events with CAP_PERFMON as its only
// capability, after running before in a separate mount namespace.
func withPerfmon(t *testing.T, before string) *exec.Cmd {
	t.Helper()
	lab.Need(t, "setpriv", "unshare")
	if os.Geteuid() != 0 {
		lab.Unavailable(t, "taking away rights needs root")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command("unshare", "--mount", "sh", "-c", before+` && exec "$@"`, "sh", "setpriv", "--inh-caps", "-all", "--bounding-set", "-all,+perfmon", "--no-new-privs",
		program, "trace", "--method", "perf", "--time", "1s", "--json", "--results", t.TempDir())
}

// CAP_PERFMON is enough for perf events if the tracing filesystem is mounted and
// readable. If it is not, the refusal says so.
func TestPerfEventsNeedOneCapability(t *testing.T) {
	cmd := withPerfmon(t, "mount -t tracefs none /sys/kernel/tracing")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var r iotrace.Report
	if err != nil && cmd.ProcessState.ExitCode() != 5 || json.Unmarshal(out, &r) != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if r.Run.Method != iotrace.ByPerf || len(r.Run.Devices) == 0 || len(r.Run.Limitations) == 0 {
		t.Errorf("traced by %s: %+v", r.Run.Method, r.Run)
	}
	cmd = withPerfmon(t, "umount -q /sys/kernel/tracing; umount -q /sys/kernel/debug; true")
	text, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(text), "tracing filesystem") || !strings.Contains(string(text), "mount -t tracefs") {
		t.Errorf("without the tracing filesystem: exit code %d: %s", cmd.ProcessState.ExitCode(), text)
	}
}

// The mount made by a trace by perf events is invisible to other processes, and a killed
// trace leaves none.
func TestPerfEventsLeaveNoMount(t *testing.T) {
	if os.Geteuid() != 0 {
		lab.Unavailable(t, "mounting needs root")
	}
	mounts := func(process string) (n int) {
		text, err := os.ReadFile("/proc/" + process + "/mountinfo")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), " - tracefs ")
	}
	before, results := mounts("self"), t.TempDir()
	cmd := exec.Command("/proc/self/exe", "trace", "--method", "perf", "--time", "0", "--results", results)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	defer cmd.Process.Kill()
	for until := time.Now().Add(time.Minute); len(glob(filepath.Join(results, "*", "trace.json"))) == 0; {
		select {
		case <-gone:
			lab.Unavailable(t, "the kernel cannot be traced here: %s", stderr.String())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(until) {
			t.Fatal("the trace did not begin")
		}
	}
	if n := mounts("self"); n != before {
		t.Errorf("%d mounts of the tracing filesystem are seen while a trace runs, %d before it", n, before)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-gone
	if n := mounts("self"); n != before {
		t.Errorf("%d mounts of the tracing filesystem are left, there were %d", n, before)
	}
}
