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

// What a PostgreSQL in a cluster would be is shown with its manifests, and nothing is made.
func TestPlanAppPostgresInACluster(t *testing.T) {
	s, file := playedCluster(t, storageClass("fast", "example.com/disk"),
		kubetest.Object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": kubetest.Object{"name": "data", "namespace": "n"},
			"spec":   kubetest.Object{"storageClassName": "fast", "volumeMode": "Filesystem", "accessModes": []any{"ReadWriteOnce"}},
			"status": kubetest.Object{"phase": "Bound", "capacity": kubetest.Object{"storage": "10Gi"}}},
		kubetest.Object{"apiVersion": "v1", "kind": "Pod", "metadata": kubetest.Object{"name": "db", "namespace": "n"},
			"spec": kubetest.Object{"nodeName": "node7", "securityContext": kubetest.Object{"runAsUser": 999, "fsGroup": 998},
				"volumes": []any{kubetest.Object{"name": "v", "persistentVolumeClaim": kubetest.Object{"claimName": "data"}}}},
			"status": kubetest.Object{"phase": "Running"}})
	plan := func(args ...string) (code int, out, said string) {
		var stdout, stderr bytes.Buffer
		e := env.OS()
		e.Args = append(append([]string{"plan", "app", "postgres"}, args...), "--kubeconfig", file, "--worker-image", "loadline:test")
		e.Stdout, e.Stderr, e.Output = &stdout, &stderr, env.Terminal{Width: 100, Unicode: true}
		code = Run(t.Context(), e)
		return code, stdout.String(), stderr.String()
	}
	holds := func(out string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(out, w) {
				t.Errorf("no %q in\n%s", w, out)
			}
		}
	}
	code, out, said := plan("sc:fast", "--set", "shared_buffers=1GB", "--clients", "100", "--node", "node3")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, said)
	}
	holds(out, "sc:fast", "of the image docker.io/library/postgres:17", "shared_buffers", "1GB", "max_connections", "108", "track_io_timing",
		"Its version and its other settings are those of its image", "a new server's directory in sc:fast", "loadline app postgres` instead",
		"in the namespace n", "kind: PersistentVolumeClaim", "storage: 20Gi", "image: docker.io/library/postgres:17", "image: loadline:test", "- --lend",
		"runAsNonRoot: true", "fsGroup: 10001", "- node3", "mountPath: /etc/passwd")

	// A claim holds what is asked for; somebody's claim is joined as its user, where that is.
	code, out, said = plan("sc:fast", "--scale", "4000", "--image", "mine:1")
	if code != exitOK {
		t.Errorf("exit code %d: %s", code, said)
	}
	holds(out, "storage: 74619Mi", "image: mine:1")
	code, out, said = plan("pvc:data", "--scale", "10")
	if code != exitOK || strings.Contains(out, "PersistentVolumeClaim\n") || strings.Contains(out, "fsGroup") {
		t.Errorf("exit code %d: %s%s", code, out, said)
	}
	holds(out, "claimName: data", "runAsUser: 999", "- 998", "- node7")

	// The log has a claim beside that of the data, for which it needs no room then.
	code, out, said = plan("sc:fast", "--wal", "sc:fast?size=6Gi", "--scale", "4000")
	if code != exitOK {
		t.Errorf("exit code %d: %s", code, said)
	}
	holds(out, "storage: 72915Mi", "storage: 6Gi", "mountPath: /wal", "log     sc:fast?size=6Gi", "its log's in sc:fast?size=6Gi,")

	code, out, said = plan("sc:fast", "--format", "json")
	var document struct {
		App struct {
			Settings []struct{ Name, Source string }
		}
		Cluster   struct{ Image string }
		Manifests string
	}
	if err := json.Unmarshal([]byte(out), &document); code != exitOK || err != nil || len(document.App.Settings) < 2 || document.Cluster.Image == "" {
		t.Errorf("exit code %d, %v: %s%s", code, err, out, said)
	}
	holds(document.Manifests, "kind: Pod")

	for words, args := range map[string][]string{
		"of the node that the pod comes to": {"sc:fast", "--fit", "disk"},
		"is no setting":                     {"sc:fast", "--set", "fsync"},
		"can spare 9.5 GiB":                 {"pvc:data", "--scale", "4000"},
		"has no StorageClass slow":          {"sc:slow"},
		"has no StorageClass late":          {"sc:fast", "--wal", "sc:late"},
		"there is no claim log":             {"pvc:data", "--wal", "pvc:log"},
		"cpu=many is no quantity":           {"sc:fast", "--resources", "cpu=many"},
	} {
		if code, out, said := plan(args...); code != exitUsage || !strings.Contains(said, words) {
			t.Errorf("%q: exit code %d: %s%s", args, code, out, said)
		}
	}
	if made := changes(s); len(made) > 0 {
		t.Errorf("a plan made %q", made)
	}
}

// An application is not driven by a Job, and a file alone does not choose what a cluster runs.
func TestAppPostgresOfAnExperimentInACluster(t *testing.T) {
	s, file := playedCluster(t, storageClass("fast", "example.com/disk"))
	dir := t.TempDir()
	asked := filepath.Join(dir, "experiment.yaml")
	if err := os.WriteFile(asked, []byte("scenario: app\ntarget: sc:fast\nprofile: quick\napp: {name: postgres, image: 'somebody/else:1'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for words, args := range map[string][]string{
		"has an image of its own":                                 {},
		"does not measure postgres from a Job in the cluster yet": {"--allow-programs", "--in-cluster"},
	} {
		var stdout, stderr bytes.Buffer
		e := env.OS()
		e.Args = append([]string{"run", "--experiment", asked, "--kubeconfig", file, "--image", "loadline:test", "--results", dir}, args...)
		e.Stdout, e.Stderr = &stdout, &stderr
		if code := Run(t.Context(), e); code != exitUsage || !strings.Contains(stderr.String(), words) {
			t.Errorf("%q: exit code %d: %s", args, code, stderr.String())
		}
	}
	if made := changes(s); len(made) > 0 {
		t.Errorf("made: %q", made)
	}
}
