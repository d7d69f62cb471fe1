package e2e

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFaults checks that, whatever dies during a run, nothing hangs, no loss goes
// unreported, and nothing is left behind. The tests measure concurrently on node2, because no
// rate is checked; node3 is lost for a minute, in which node1 measures undisturbed.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"a node is lost", testNodeLost},
		{"a pod is evicted", testPodEvicted},
		{"a pod runs out of memory", testPodOutOfMemory},
		{"fio runs out of memory", testLoadOutOfMemory},
		{"the pod is deleted", testPodDeleted},
		{"the driver is killed", testDriverKilled},
		{"an interrupt", testInterrupt},
		{"two sides meanwhile", testBaseline},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t)
		})
	}
}

// longRun measures one volume on node2 for up to 25 seconds.
var longRun = []string{"run", "sc:csi?size=96Mi", "--node", "node2", "--only", "rand-read-iops", "--max-time", "25s", "--precision", "0.01%", "--format", "json"}

func testPodDeleted(t *testing.T) {
	ns := namespace(t, "fault-pod", "restricted")
	cmd, progress := begun(t, ns, "repeat 2 ", longRun...)
	kubectl(t, "delete", "pods", "-n", ns, "-l", "loadline/run", "--force", "--grace-period=0")
	if code := ended(t, cmd); code != 1 || !strings.Contains(progress.String(), "was deleted") {
		t.Errorf("exit code %d: %s", code, progress)
	}
	nothingLeft(t, ns)
}

func testDriverKilled(t *testing.T) {
	ns := namespace(t, "fault-driver", "restricted")
	// Three cleanups have to see it alive.
	args := slices.Clone(longRun)
	args[slices.Index(args, "25s")] = "2m"
	cmd, _ := begun(t, ns, "repeat 1 ", args...)
	// While the run lives, cleanup does not touch it.
	if o := run(t, ns, "cleanup"); o.code != 0 || !strings.Contains(o.stdout, "kept    pod") || strings.Contains(o.stdout, "removed") {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	for name, script := range map[string]string{"another name": `hostname elsewhere && exec "$0" "$@"`, "the same name": `exec "$0" "$@"`} {
		out, err := elsewhere(command(t.Context(), t, ns, "", "cleanup"), script).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "kept    pod") || !strings.Contains(string(out), ": a run on ") || strings.Contains(string(out), "removed") {
			t.Errorf("from another machine of %s: %v: %s", name, err, out)
		}
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
}

func testInterrupt(t *testing.T) {
	ns := namespace(t, "fault-interrupt", "restricted")
	cmd, progress := begun(t, ns, "repeat 1 ", longRun...)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := ended(t, cmd); code != 130 {
		t.Errorf("exit code %d: %s", code, progress)
	}
	nothingLeft(t, ns)
}

// elsewhere runs the command from a script as if on another machine, which cannot see the
// driver's process and has to ask the worker.
func elsewhere(cmd *exec.Cmd, script string) *exec.Cmd {
	there := exec.Command("unshare", append([]string{"--uts", "--pid", "--fork", "--mount-proc", "sh", "-c", script}, cmd.Args...)...)
	there.Dir, there.Env = cmd.Dir, cmd.Env
	return there
}

// TestServerRestarts takes the API server away for ten seconds during a run: the
// worker continues, and no measurement is lost.
func TestServerRestarts(t *testing.T) {
	ns := namespace(t, "fault-server", "restricted")
	out := &logged{}
	cmd := command(t.Context(), t, ns, "", "run", "sc:csi?size=96Mi", "--only", "rand-read-iops", "--max-time", "25s", "--precision", "0.01%", "--format", "json")
	progress := &logged{}
	cmd.Stdout, cmd.Stderr = out, progress
	start(t, cmd, progress, "repeat 1 ")
	if err := lab.StopServer(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Second)
	if err := lab.StartServer(); err != nil {
		t.Fatal(err)
	}
	r := measured(t, outcome{code: ended(t, cmd), stdout: out.String(), stderr: progress.String()})
	r.carries(t, 1000)
	// Five repeats of three seconds: all of them have arrived.
	if len(r.Results) == 0 || r.Results[0].Seconds < 14 {
		t.Errorf("%+v", r.Results)
	}
	if !strings.Contains(progress.String(), "the connection to the pod on node") {
		t.Errorf("not a word about the lost connection: %s", progress)
	}
	nothingLeft(t, ns)
}
