package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// interruptible is a run of up to a minute that has been started, and whose report is read when it
// has ended.
type interruptible struct {
	cmd              *exec.Cmd
	stdout, progress *logged
}

func beginLong(t *testing.T, ns, words string, args ...string) interruptible {
	t.Helper()
	r := interruptible{cmd: command(t.Context(), t, ns, "", append(args, "--precision", "0.01%", "--format", "json")...), stdout: &logged{}, progress: &logged{}}
	r.cmd.Stdout, r.cmd.Stderr = r.stdout, r.progress
	start(t, r.cmd, r.progress, words)
	return r
}

// failed fails unless the run has ended with code 1 and these words, has kept what it measured,
// and calls none of it valid.
func (r interruptible) failed(t *testing.T, words ...string) {
	t.Helper()
	o := outcome{code: ended(t, r.cmd), stdout: r.stdout.String(), stderr: r.progress.String()}
	var doc report
	decode(t, o, &doc)
	if o.code != 1 || doc.Run.Status != "failed" || len(doc.Results) == 0 {
		t.Errorf("exit code %d, %s, %d results: %s", o.code, doc.Run.Status, len(doc.Results), o.stderr)
	}
	for _, res := range doc.Results {
		if res.Verdict == "valid" {
			t.Errorf("%s is called valid", res.Workload)
		}
	}
	said(t, o, words...)
}

// What the cluster takes away during a run is reported, with when and why; the rest is kept
// as suspect; and leftovers are removed when the node is back.

func testPodEvicted(t *testing.T) {
	ns := namespace(t, "lost-evicted", "restricted")
	r := beginLong(t, ns, "repeat 2 ", "scale", "sc:csi?size=64Mi", "--volumes", "2", "--node", "node2", "--max-time", "60s")
	pod := strings.TrimSpace(kubectl(t, "get", "pods", "-n", ns, "-l", "loadline/run", "-o", "jsonpath={.items[1].metadata.name}"))
	kubectlIn(t, fmt.Sprintf(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":%q,"namespace":%q}}`, pod, ns),
		"create", "--raw", "/api/v1/namespaces/"+ns+"/pods/"+pod+"/eviction", "-f", "-")
	r.failed(t, "on node2 was lost", "last heard of at", pod+" on node2 was taken away by the cluster: EvictionByEvictionAPI")
	nothingLeft(t, ns)
}

func testPodOutOfMemory(t *testing.T) {
	ns := namespace(t, "lost-memory", "restricted")
	r := beginLong(t, ns, "repeat 2 ", "run", "sc:csi?size=96Mi", "--node", "node2", "--only", "rand-read-iops", "--max-time", "60s", "--resources", "memory=64Mi")
	pod := strings.TrimSpace(kubectl(t, "get", "pods", "-n", ns, "-l", "loadline/run", "-o", "name"))
	over := chosenByOOM(t, strings.TrimSpace(kubectl(t, "get", "-n", ns, pod, "-o", "jsonpath={.metadata.uid}")), "loadline-agent")
	// Memory used there is charged to the container and cannot be reclaimed.
	hog := exec.Command(lab.Program("kubectl"), "--kubeconfig", lab.Kubeconfig(), "exec", "-n", ns, pod, "--", "sh", "-c", "while true; do dd if=/dev/zero of=/dev/shm/hog-$$ bs=64k count=1024; done")
	if out, err := hog.CombinedOutput(); err == nil {
		t.Errorf("there is memory enough: %s", out)
	}
	over()
	r.failed(t, "was lost", "OOMKilled", "--resources memory=1Gi")
	nothingLeft(t, ns)
}

// chosenByOOM makes the kernel's out-of-memory killer choose the program of this name among those of a
// pod, until over is called: it would choose the load tool as well, whose end is not the worker's.
func chosenByOOM(t *testing.T, uid, program string) (over func()) {
	ended, gone, found := make(chan struct{}), make(chan struct{}), false
	go func() {
		defer close(gone)
		for {
			names, _ := filepath.Glob("/proc/[0-9]*/comm")
			for _, name := range names {
				dir := filepath.Dir(name)
				if groups, err := os.ReadFile(filepath.Join(dir, "cgroup")); err != nil || !strings.Contains(string(groups), uid) {
					continue
				}
				score := "-900"
				if comm, err := os.ReadFile(name); err == nil && strings.TrimSpace(string(comm)) == program {
					score, found = "1000", true
				}
				_ = os.WriteFile(filepath.Join(dir, "oom_score_adj"), []byte(score), 0) // it may have ended
			}
			select {
			case <-ended:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() {
		close(ended)
		<-gone
		if !found {
			t.Errorf("no process of the pod %s is %s", uid, program)
		}
	}
}

// largeBlocks is a profile with a workload whose buffers do not fit in 64 MiB.
const largeBlocks = `workloads:
  - {name: small, access: rand, direction: read, block_size: 4k, depth: 4}
  - {name: large, access: seq, direction: read, block_size: 16m, depth: 8}
`

// The pod outlives its load generator: the worker says what the kernel did to it, and measures the rest.
func testLoadOutOfMemory(t *testing.T) {
	ns := namespace(t, "lost-fio", "restricted")
	profile := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(profile, []byte(largeBlocks), 0o644); err != nil {
		t.Fatal(err)
	}
	o := run(t, ns, "run", "sc:csi?size=160Mi", "--node", "node2", "--profile", profile, "--max-time", "20s", "--resources", "memory=64Mi", "--format", "json")
	var doc report
	decode(t, o, &doc)
	said(t, o, "large is given up after a failed repeat: fio was killed, most likely by the kernel's out-of-memory killer: the memory limit here is 64 MiB", "--resources memory=")
	measured := false
	for _, r := range doc.Results {
		measured = measured || r.Workload == "small" && r.Estimate > 0 && r.Verdict != "invalid"
	}
	if o.code != 5 || !measured {
		t.Errorf("exit code %d, %s, %+v: %s", o.code, doc.Run.Status, doc.Results, o.stderr)
	}
	nothingLeft(t, ns)
}

func testNodeLost(t *testing.T) {
	ns := namespace(t, "lost-node", "restricted")
	r := beginLong(t, ns, "repeat 2 ", "run", "sc:csi?size=96Mi", "--node", "node3", "--only", "rand-read-iops", "--max-time", "60s")
	killed := time.Now()
	lab.KillNode(3)
	for !strings.Contains(r.progress.String(), "the connection to the pod on node3 is lost") {
		if time.Since(killed) > commandTimeout {
			t.Fatalf("not a word after %s: %s", time.Since(killed), r.progress)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("said after %s", time.Since(killed).Round(100*time.Millisecond))
	r.failed(t, "was lost", "is lost with its node: node3", "cannot go before the node node3 is back")
	t.Logf("ended after %s", time.Since(killed).Round(100*time.Millisecond))
	if err := lab.StartNode(3); err != nil {
		t.Fatal(err)
	}
	kubectl(t, "wait", "node/node3", "--for=condition=Ready", "--timeout=180s")
	waitNothingLeft(t, ns)
}
