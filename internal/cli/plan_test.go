package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/env"
)

// TestPlanPrintsTheJob checks that the manifest for kubectl apply is the Job that run --in-cluster creates,
// including the experiment, but that fetch does not treat it as ours and remove it.
func TestPlanPrintsTheJob(t *testing.T) {
	s, file := playedCluster(t, storageClass("fast", "x"))
	own := filepath.Join(t.TempDir(), "own.yaml")
	const profile = "workloads:\n  - {name: mine, access: rand, direction: read, block_size: 4k, depth: 1}\n"
	if err := os.WriteFile(own, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	e := env.OS()
	var out, stderr bytes.Buffer
	e.Args, e.Stdout, e.Stderr = []string{"plan", "sc:fast", "--in-cluster", "--hold", "2h", "--profile", own, "--node", "n7", "--image", "loadline:test", "--kubeconfig", file}, &out, &stderr
	if code := Run(t.Context(), e); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	for _, want := range []string{"kind: ServiceAccount", "kind: Role\n", "kind: RoleBinding", "kind: Job", "namespace: \"n\"\n", "loadline/experiment: |",
		" target: \"sc:fast\"\n", " node: n7\n", " - {name: mine, access: rand", "- --experiment\n", "- 2h0m0s\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "loadline/driver") || !strings.Contains(stderr.String(), "loadline fetch loadline-") {
		t.Errorf("%s%s", out.String(), stderr.String())
	}
	if made := changes(s); len(made) > 0 {
		t.Errorf("a plan asks for %q", made)
	}
}

// TestPlanTellsTheStorage checks that the plan shows what a class and its storage system report before
// any volume exists, that nothing is created for that, and that what may not be read is one line.
func TestPlanTellsTheStorage(t *testing.T) {
	class := storageClass("fast", "driver.longhorn.io")
	class["parameters"] = kubetest.Object{"numberOfReplicas": "3", "dataLocality": "disabled"}
	driver := kubetest.Object{"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "spec": kubetest.Object{"attachRequired": true},
		"metadata": kubetest.Object{"name": "driver.longhorn.io", "annotations": kubetest.Object{"driver.longhorn.io/version": "v1.8.0"}}}
	const classes, drivers = "/apis/storage.k8s.io/v1/storageclasses/fast", "/apis/storage.k8s.io/v1/csidrivers/driver.longhorn.io"
	const needs = "cluster class fast (driver.longhorn.io)\n        own claim of 20 GiB ReadWriteMany Filesystem   Kubernetes v1.34.4\n"
	for name, c := range map[string]struct {
		// without are the paths that may not be read.
		without []string
		want    string
	}{
		"all rights": {nil, needs + "        parameters dataLocality=disabled, numberOfReplicas=3\nstorage Longhorn v1.8.0   3 replicas   data locality disabled\n"},
		"not the driver": {[]string{drivers}, needs + "        parameters dataLocality=disabled, numberOfReplicas=3\nstorage Longhorn   3 replicas   data locality disabled\n" +
			"        version not known (the right to get csidrivers.storage.k8s.io is missing\n        (deploy/role.yaml has it))\n"},
		"none": {[]string{classes, drivers}, "cluster class fast   own claim of 20 GiB ReadWriteMany Filesystem\n        Kubernetes v1.34.4\n" +
			"storage the storage system not known (neither the StorageClass nor the volume\n        may be read (deploy/role.yaml has the rights))\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s, file := playedCluster(t, class, driver)
			for _, path := range c.without {
				s.Forbid("GET", path, "get", path)
			}
			e := env.OS()
			var out, stderr bytes.Buffer
			e.Args, e.Stdout, e.Stderr, e.Output = []string{"plan", "sc:fast?access=RWX", "--image", "loadline:test", "--kubeconfig", file}, &out, &stderr, env.Terminal{Width: 80, Unicode: true}
			if code := Run(t.Context(), e); code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr.String())
			}
			if _, after, _ := strings.Cut(out.String(), "\n"); !strings.HasPrefix(after, c.want+"volume") {
				t.Errorf("%s\nwant:\n%s", out.String(), c.want)
			}
			for _, call := range s.Calls() {
				if !slices.Contains([]string{"GET /version", "GET " + classes, "GET " + drivers}, call) {
					t.Errorf("a plan asks for %s", call)
				}
			}
		})
	}
}

// The plan of a comparison says of both sides what the cluster reports, and creates nothing.
func TestTheComparisonOfTwoClassesIsPlannedUnseen(t *testing.T) {
	s, file := playedCluster(t, storageClass("fast", "fast.example.com"), storageClass("slow", "slow.example.com"))
	for _, args := range [][]string{{"plan", "compare", "sc:slow", "sc:fast"}, {"plan", "compare", "sc:slow", "sc:fast", "--json"}} {
		e := env.OS()
		var out, stderr bytes.Buffer
		e.Args = append(args, "--size", "1GiB", "--image", "loadline:test", "--kubeconfig", file)
		e.Stdout, e.Stderr, e.Output = &out, &stderr, env.Terminal{Width: 80, Unicode: true}
		if code := Run(t.Context(), e); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		wanted := []string{"A       sc:slow", "B       sc:fast", "A's     class slow (slow.example.com)", "B's     class fast (fast.example.com)", "Nothing was done"}
		if len(args) > 4 {
			wanted = []string{`"class": "slow"`, `"class": "fast"`}
		}
		for _, want := range wanted {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is missing in\n%s", want, out.String())
			}
		}
	}
	if made := changes(s); len(made) > 0 {
		t.Errorf("a plan asks for %q", made)
	}
}
