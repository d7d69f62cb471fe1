package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestFaults: whatever dies in the middle, nothing hangs, nothing is lost without a
// word, and nothing stays behind. Each has a node of its own.
func TestFaults(t *testing.T) {
	measure := func(node string) []string {
		return []string{"run", "sc:csi?size=96Mi", "--node", node, "--only", "rand-read-iops", "--max-time", "25s", "--precision", "0.01%", "--output", "json"}
	}
	t.Run("the pod is deleted", func(t *testing.T) {
		t.Parallel()
		ns := namespace(t, "fault-pod", "restricted")
		cmd, progress := begun(t, ns, "[2/", measure("node1")...)
		kubectl(t, "delete", "pods", "-n", ns, "-l", "loadline/run", "--force", "--grace-period=0")
		if code := ended(t, cmd); code != 1 || !strings.Contains(progress.String(), "was deleted") {
			t.Errorf("exit code %d: %s", code, progress)
		}
		nothingLeft(t, ns)
	})
	t.Run("the driver is killed", func(t *testing.T) {
		t.Parallel()
		ns := namespace(t, "fault-driver", "restricted")
		cmd, _ := begun(t, ns, "[1/", measure("node2")...)
		// While it lives, cleanup keeps its hands off.
		if o := run(t, ns, "cleanup"); o.code != 0 || !strings.Contains(o.stdout, "kept    pod") || strings.Contains(o.stdout, "removed") {
			t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
		}
		if out, err := elsewhere(command(t.Context(), t, ns, "", "cleanup")).CombinedOutput(); err != nil || !strings.Contains(string(out), "kept    pod") || strings.Contains(string(out), "removed") {
			t.Errorf("from another machine: %v: %s", err, out)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if left := kubectl(t, "get", "pods,pvc", "-n", ns, "-l", "loadline/run", "-o", "name"); !strings.Contains(left, "pod/") || !strings.Contains(left, "persistentvolumeclaim/") {
			t.Errorf("left: %q", left)
		}
		if o := run(t, ns, "cleanup"); o.code != 0 || !strings.Contains(o.stdout, "removed pod") || !strings.Contains(o.stdout, "removed claim") {
			t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
		}
		nothingLeft(t, ns)
	})
	t.Run("an interrupt", func(t *testing.T) {
		t.Parallel()
		ns := namespace(t, "fault-interrupt", "restricted")
		cmd, progress := begun(t, ns, "[1/", measure("node3")...)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := ended(t, cmd); code != 130 {
			t.Errorf("exit code %d: %s", code, progress)
		}
		nothingLeft(t, ns)
	})
}

// elsewhere runs the command on a machine of another name, which cannot see the driver's
// process and has to ask the worker.
func elsewhere(cmd *exec.Cmd) *exec.Cmd {
	there := exec.Command("unshare", append([]string{"--uts", "sh", "-c", `hostname elsewhere && exec "$0" "$@"`}, cmd.Args...)...)
	there.Dir, there.Env = cmd.Dir, cmd.Env
	return there
}

// TestServerRestarts: the API server is away for ten seconds in the middle; the
// worker goes on, and nothing of what it measured is missing.
func TestServerRestarts(t *testing.T) {
	ns := namespace(t, "fault-server", "restricted")
	out := &logged{}
	cmd := command(t.Context(), t, ns, "", "run", "sc:csi?size=96Mi", "--only", "rand-read-iops", "--max-time", "25s", "--precision", "0.01%", "--output", "json")
	progress := &logged{}
	cmd.Stdout, cmd.Stderr = out, progress
	start(t, cmd, progress, "[1/")
	if err := lab.StopServer(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Second)
	if err := lab.StartServer(); err != nil {
		t.Fatal(err)
	}
	r := measured(t, outcome{code: ended(t, cmd), stdout: out.String(), stderr: progress.String()})
	r.carries(t, 1000)
	// Five visits of three seconds: all of them have arrived.
	if len(r.Results) == 0 || r.Results[0].Seconds < 14 {
		t.Errorf("%+v", r.Results)
	}
	if !strings.Contains(progress.String(), "the connection to the pod on node") {
		t.Errorf("not a word about the lost connection: %s", progress)
	}
	nothingLeft(t, ns)
}
