package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/env"
)

// A plan of PostgreSQL in a cluster is shown with its manifests, and nothing is created.
func TestPlanAppPostgresInACluster(t *testing.T) {
	s, file := playedCluster(t, storageClass("fast", "example.com/disk"),
		kubetest.Object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": kubetest.Object{"name": "data", "namespace": "n"},
			"spec":   kubetest.Object{"storageClassName": "fast", "volumeMode": "Filesystem", "accessModes": []any{"ReadWriteOnce"}},
			"status": kubetest.Object{"phase": "Bound", "capacity": kubetest.Object{"storage": "10Gi"}}},
		kubetest.Object{"apiVersion": "v1", "kind": "Pod", "metadata": kubetest.Object{"name": "db", "namespace": "n"},
			"spec": kubetest.Object{"nodeName": "node7", "securityContext": kubetest.Object{"runAsUser": 999, "fsGroup": 998},
				"volumes": []any{kubetest.Object{"name": "v", "persistentVolumeClaim": kubetest.Object{"claimName": "data"}}}},
			"status": kubetest.Object{"phase": "Running"}})
	node := func(name string, taints ...any) kubetest.Object {
		return kubetest.Object{"apiVersion": "v1", "kind": "Node", "metadata": kubetest.Object{"name": name}, "spec": kubetest.Object{"taints": taints}}
	}
	s.Add(t, node("node3"))
	s.Add(t, node("full", kubetest.Object{"key": "only", "value": "others", "effect": "NoSchedule"}))
	plan := planner(t, file)
	holds := func(out string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(out, w) {
				t.Errorf("no %q in\n%s", w, out)
			}
		}
	}
	code, out, stderr := plan("sc:fast", "--set", "shared_buffers=1GB", "--clients", "100", "--node", "node3")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	holds(out, "sc:fast", "of the image docker.io/library/postgres:17", "shared_buffers", "1GB", "max_connections", "108", "track_io_timing",
		"settings of postgres 17 are its own (--format json lists them).", "The version is that in the image's name", "a new server's directory in sc:fast", "loadline app postgres` instead",
		"in the namespace n", "kind: PersistentVolumeClaim", "storage: 20Gi", "image: docker.io/library/postgres:17", "image: loadline:test", "- --copy-program",
		"runAsNonRoot: true", "fsGroup: 10001", "- node3", "mountPath: /etc/passwd")

	// A new claim is large enough for the data; an existing claim is used with the user and on the node of
	// its pod.
	code, out, stderr = plan("sc:fast", "--scale", "4000", "--image", "mine:1")
	if code != exitOK {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	holds(out, "storage: 74619Mi", "image: mine:1", "Its version and its other settings are those of its image")
	code, out, stderr = plan("pvc:data", "--scale", "10")
	if code != exitOK || strings.Contains(out, "PersistentVolumeClaim\n") || strings.Contains(out, "fsGroup") {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
	holds(out, "claimName: data", "runAsUser: 999", "- 998", "- node7")

	// The client gets a pod without a volume, on the named node or on any node other than the server's.
	code, out, stderr = plan("sc:fast", "--node", "node3", "--client-node", "same")
	if code != exitOK || strings.Count(out, "kind: Pod\n") != 1 || strings.Count(out, "kind: StatefulSet\n") != 1 || strings.Count(out, "- node3\n") != 2 || strings.Count(out, "claimName: ") != 1 {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
	holds(out, "name: LOADLINE_ADDRESS", "fieldPath: status.podIP")
	for args, words := range map[string]string{
		"other": "only 1 of the cluster's 2 nodes may run its pod", "node9": "--client-node node9: the cluster has no such node", "full": "--client-node full: the node has a taint",
	} {
		if code, _, stderr = plan("sc:fast", "--client-node", args); code != exitUsage || !strings.Contains(stderr, words) {
			t.Errorf("%s: exit code %d: %s", args, code, stderr)
		}
	}
	s.Add(t, node("node4"))
	if code, _, stderr = plan("sc:fast", "--node", "node3", "--client-node", "node4"); code != exitOK {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if code, out, stderr = plan("sc:fast", "--client-node", "other"); code != exitOK {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	holds(out, "operator: NotIn", "- (the node of the server)")

	// The log gets a claim of its own, so the data's claim needs no room for it.
	code, out, stderr = plan("sc:fast", "--wal", "sc:fast?size=6Gi", "--scale", "4000")
	if code != exitOK {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	holds(out, "storage: 72915Mi", "storage: 6Gi", "mountPath: /wal", "log     sc:fast?size=6Gi", "its log's in sc:fast?size=6Gi,")

	code, out, stderr = plan("sc:fast", "--format", "json")
	var document struct {
		App struct {
			Settings []struct{ Name, Source string }
		}
		Cluster   struct{ Image string }
		Manifests string
	}
	if err := json.Unmarshal([]byte(out), &document); code != exitOK || err != nil || len(document.App.Settings) < 2 || document.Cluster.Image == "" {
		t.Errorf("exit code %d, %v: %s%s", code, err, out, stderr)
	}
	holds(document.Manifests, "kind: StatefulSet")

	for words, args := range map[string][]string{
		"of the node that the pod comes to": {"sc:fast", "--fit", "disk"},
		"is not a setting":                  {"sc:fast", "--set", "fsync"},
		"can spare 9.5 GiB":                 {"pvc:data", "--scale", "4000"},
		"has no StorageClass slow":          {"sc:slow"},
		"has no StorageClass late":          {"sc:fast", "--wal", "sc:late"},
		"there is no claim log":             {"pvc:data", "--wal", "pvc:log"},
		"cpu=many is not a quantity":        {"sc:fast", "--resources", "cpu=many"},
	} {
		if code, out, stderr := plan(args...); code != exitUsage || !strings.Contains(stderr, words) {
			t.Errorf("%q: exit code %d: %s%s", args, code, out, stderr)
		}
	}
	if made := changes(s); len(made) > 0 {
		t.Errorf("a plan made %q", made)
	}
}

// A file alone must not choose the image that a cluster runs, in a Job or from here.
func TestAppPostgresOfAnExperimentInACluster(t *testing.T) {
	s, file := playedCluster(t, storageClass("fast", "example.com/disk"))
	dir := t.TempDir()
	experimentFile := filepath.Join(dir, "experiment.yaml")
	if err := os.WriteFile(experimentFile, []byte("scenario: app\ntarget: sc:fast\nprofile: quick\napp: {name: postgres, image: 'somebody/else:1'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"--in-cluster"}} {
		var stdout, stderr bytes.Buffer
		e := env.OS()
		e.Args = append([]string{"run", "--experiment", experimentFile, "--kubeconfig", file, "--image", "loadline:test", "--results", dir}, args...)
		e.Stdout, e.Stderr = &stdout, &stderr
		if code := Run(t.Context(), e); code != exitUsage || !strings.Contains(stderr.String(), "has an image of its own") {
			t.Errorf("%q: exit code %d: %s", args, code, stderr.String())
		}
	}
	if made := changes(s); len(made) > 0 {
		t.Errorf("made: %q", made)
	}
}

// A Job measures its experiment, with the programs that were permitted here; what would fail
// inside is refused before a Job is created.
func TestAppPostgresInAJob(t *testing.T) {
	s, file := playedCluster(t, storageClass("fast", "example.com/disk"))
	plan := planner(t, file)
	code, out, stderr := plan("sc:fast", "--in-cluster", "--wal", "sc:fast?size=6Gi", "--clients", "3", "--set", "shared_buffers=1GB")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, w := range []string{"kind: Job", "- --experiment", "- --allow-programs", "shared_buffers=1GB", "sc:fast?size=6Gi", "clients:", "image: loadline:test"} {
		if !strings.Contains(out, w) {
			t.Errorf("no %q in\n%s", w, out)
		}
	}
	for words, args := range map[string][]string{
		"is not in a Kubernetes cluster, which --in-cluster": {t.TempDir()},
		"add --namespace other":                              {"pvc:other/data"},
		"can spare":                                          {"sc:fast?size=1Gi"},
		"is not a setting":                                   {"sc:fast", "--set", "fsync"},
		"has no StorageClass late":                           {"sc:fast", "--wal", "sc:late"},
		"asks for a raw device":                              {"sc:fast", "--wal", "sc:fast?mode=Block"},
		"of the node that the pod comes to":                  {"sc:fast", "--fit", "disk"},
		"looks like a password":                              {"sc:fast", "--set", "primary_conninfo=password=secret"},
	} {
		if code, out, stderr := plan(append(args, "--in-cluster")...); code != exitUsage || !strings.Contains(stderr, words) {
			t.Errorf("%q: exit code %d: %s%s", args, code, out, stderr)
		}
	}
	if code, _, stderr := plan("sc:fast", "--detach"); code != exitUsage || !strings.Contains(stderr, "--detach needs --in-cluster") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if made := changes(s); len(made) > 0 {
		t.Errorf("a plan made %q", made)
	}
}

// planner returns a function that plans app postgres on the cluster of a kubeconfig file.
func planner(t *testing.T, kubeconfig string) func(args ...string) (code int, out, stderr string) {
	return func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		e := env.OS()
		e.Args = append(append([]string{"plan", "app", "postgres"}, args...), "--kubeconfig", kubeconfig, "--worker-image", "loadline:test")
		e.Stdout, e.Stderr, e.Output = &stdout, &stderr, env.Terminal{Width: 100, Unicode: true}
		code := Run(t.Context(), e)
		return code, stdout.String(), stderr.String()
	}
}
