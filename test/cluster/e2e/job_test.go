package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// brief makes a run of one workload of some ten seconds, on a volume of this cluster.
var brief = []string{"--only", "rand-read-lat", "--max-time", "12s"}

// own is a custom profile, as short as brief.
const own = "workloads:\n  - {name: mine, access: rand, direction: read, block_size: 4k, depth: 1, metric: latency}\n"

// ownFile writes it, and returns the flags for a run of it.
func ownFile(t *testing.T) (flags []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--profile", file, "--max-time", "12s"}
}

// mine fails unless the run is one of the custom profile, under its name.
func (r report) mine(t *testing.T, file string) {
	t.Helper()
	if r.Run.Profile != file || len(r.Results) == 0 || r.Results[0].Workload != "mine" {
		t.Errorf("profile %s: %+v", r.Run.Profile, r.Results)
	}
}

// TestInside checks that a Job drives the measurement from inside the cluster, and that its run directory
// is fetched: at once, after the driver was killed, and from a custom manifest.
func TestInside(t *testing.T) {
	t.Parallel()
	t.Run("followed, with the least rights", func(t *testing.T) {
		t.Parallel()
		diskOf(t, "node1")
		ns := namespace(t, "inside", "restricted")
		role, err := os.ReadFile("../../../deploy/role.yaml")
		if err != nil {
			t.Fatal(err)
		}
		kubectlIn(t, string(role), "apply", "-n", ns, "-f", "-")
		kubectl(t, "create", "serviceaccount", "dev", "-n", ns)
		for _, name := range []string{"loadline", "loadline-jobs"} {
			kubectl(t, "create", "rolebinding", name, "-n", ns, "--role", name, "--serviceaccount", ns+":dev")
		}
		results := t.TempDir()
		profile := ownFile(t)
		// $(NAME) in a Job's command has a meaning for Kubernetes.
		const note = "$(LOADLINE_IMAGE) for $$5"
		o := runAs(t, "system:serviceaccount:"+ns+":dev", ns, append([]string{"run", "sc:csi?size=96Mi", "--in-cluster", "--node", "node1", "--note", note, "--results", results, "--format", "json"}, profile...)...)
		r := measured(t, o)
		if r.Run.Environment.Cluster.Node != "node1" || !r.Run.Environment.Cluster.Made || r.Run.Note != note {
			t.Errorf("%+v", r.Run)
		}
		r.mine(t, profile[1])
		said(t, o, "made for it", "wait there for 24h", "repeat 1 ")
		home(t, results, 1)
		nothingInside(t, ns)
	})
	t.Run("the driver is killed", func(t *testing.T) {
		t.Parallel()
		diskOf(t, "node2")
		ns := namespace(t, "inside-killed", "restricted")
		cmd, _ := begun(t, ns, "repeat 1 ", append([]string{"run", "sc:csi?size=96Mi", "--in-cluster", "--node", "node2"}, brief...)...)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if o := run(t, ns, "cleanup"); o.code != 0 || !strings.Contains(o.stdout, "loadline fetch") || strings.Contains(o.stdout, "removed") {
			t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
		}
		results := t.TempDir()
		measured(t, run(t, ns, "fetch", "--results", results, "--format", "json"))
		home(t, results, 1)
		nothingInside(t, ns)
	})
	t.Run("a manifest of one's own", func(t *testing.T) {
		t.Parallel()
		diskOf(t, "node3")
		ns := namespace(t, "inside-own", "restricted")
		kubectl(t, "create", "configmap", "loadline-files", "-n", ns, "--from-literal=own.yaml="+own)
		for _, name := range []string{"role.yaml", "job.yaml"} {
			manifest, err := os.ReadFile("../../../deploy/" + name)
			if err != nil {
				t.Fatal(err)
			}
			text := string(manifest)
			for _, edit := range [][2]string{
				{"namespace: default", "namespace: " + ns},
				{"loadline/loadline:VERSION", image},
				{`run, "sc:standard",`, `run, "sc:csi?size=96Mi", --node, node3, --profile, /files/own.yaml, --max-time, 12s,`},
				{"#- {", "- {"},
				{"image: " + image + "\n", "image: " + image + "\n          imagePullPolicy: IfNotPresent\n"},
			} {
				if name == "job.yaml" && !strings.Contains(text, edit[0]) {
					t.Fatalf("job.yaml has no %q", edit[0])
				}
				text = strings.ReplaceAll(text, edit[0], edit[1])
			}
			kubectlIn(t, text, "apply", "-n", ns, "-f", "-")
		}
		results := t.TempDir()
		o := run(t, ns, "fetch", "job/loadline", "--results", results, "--format", "json")
		measured(t, o).mine(t, "/files/own.yaml")
		said(t, o, "is your own and is not removed")
		home(t, results, 1)
		kubectl(t, "wait", "-n", ns, "job/loadline", "--for=jsonpath={.status.conditions[0].status}=True", "--timeout=180s")
		// The log still has the report, and fetch takes it from there.
		_, document, _ := strings.Cut(kubectl(t, "logs", "-n", ns, "job/loadline"), "\n{")
		var r report
		if err := json.NewDecoder(strings.NewReader("{" + document)).Decode(&r); err != nil || r.Run.Status != "complete" {
			t.Errorf("%v: %+v", err, r.Run)
		}
		again := t.TempDir()
		if o := run(t, ns, "fetch", "--results", again); o.code != 1 || !strings.Contains(o.stderr, "is gone with its pod") || !strings.Contains(o.stderr, "was still in its log") {
			t.Errorf("exit code %d: %s", o.code, o.stderr)
		}
		if saved, _ := filepath.Glob(filepath.Join(again, "*", "report.json")); len(saved) != 1 {
			t.Errorf("saved: %v", saved)
		}
	})
}

// home fails unless exactly so many complete run directories are there.
func home(t *testing.T, results string, want int) {
	t.Helper()
	for _, file := range []string{"plan.json", "run.json", "samples.jsonl.zst", "raw", "report.html"} {
		if found, _ := filepath.Glob(filepath.Join(results, "*", file)); len(found) != want {
			t.Errorf("%d times %s in %s, want %d", len(found), file, results, want)
		}
	}
}

// nothingInside is nothingLeft, extended to what only a Job needs.
func nothingInside(t *testing.T, namespace string) {
	t.Helper()
	if left := kubectl(t, "get", "jobs,pods,pvc,serviceaccounts,roles,rolebindings", "-n", namespace, "-l", "loadline/run", "-o", "name"); left != "" {
		t.Errorf("left in %s: %s", namespace, left)
	}
}
