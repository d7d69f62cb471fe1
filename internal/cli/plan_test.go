package cli

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
)

// TestPlanPrintsTheJob: what kubectl apply gets is the Job that run --in-cluster makes, with
// the experiment in it, and not one of ours that fetch would remove.
func TestPlanPrintsTheJob(t *testing.T) {
	answers := map[string]string{"/version": `{"gitVersion":"v1.34.4"}`, "/apis/storage.k8s.io/v1/storageclasses/fast": `{"metadata":{"name":"fast"},"provisioner":"x"}`}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if text, known := answers[r.URL.Path]; r.Method == http.MethodGet && known {
			fmt.Fprint(w, text)
			return
		}
		if r.Method != http.MethodGet {
			t.Errorf("a plan asks for %s %s", r.Method, r.URL)
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(web.Close)
	dir := t.TempDir()
	file, own := filepath.Join(dir, "config"), filepath.Join(dir, "own.yaml")
	config := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: \"" + web.URL + "\"}}]\n" +
		"contexts: [{name: c, context: {cluster: c, namespace: here}}]\ncurrent-context: c\n"
	const profile = "workloads:\n  - {name: mine, access: rand, direction: read, block_size: 4k, depth: 1}\n"
	if err := errors.Join(os.WriteFile(file, []byte(config), 0o600), os.WriteFile(own, []byte(profile), 0o600)); err != nil {
		t.Fatal(err)
	}
	e := env.OS()
	var out, said bytes.Buffer
	e.Args, e.Stdout, e.Stderr = []string{"plan", "sc:fast", "--in-cluster", "--hold", "2h", "--profile", own, "--node", "n7", "--image", "loadline:test", "--kubeconfig", file}, &out, &said
	if code := Run(t.Context(), e); code != 0 {
		t.Fatalf("exit code %d: %s", code, said.String())
	}
	for _, want := range []string{"kind: ServiceAccount", "kind: Role\n", "kind: RoleBinding", "kind: Job", "namespace: here", "loadline/experiment: |",
		" target: \"sc:fast\"\n", " node: n7\n", " - {name: mine, access: rand", "- --experiment\n", "- 2h0m0s\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "loadline/driver") || !strings.Contains(said.String(), "loadline fetch loadline-") {
		t.Errorf("%s%s", out.String(), said.String())
	}
}

// TestPlanTellsTheStorage: what a class and its storage system say is in the plan before
// any volume exists, nothing is made for that, and what may not be read is one line.
func TestPlanTellsTheStorage(t *testing.T) {
	const class = `{"metadata":{"name":"fast"},"provisioner":"driver.longhorn.io","parameters":{"numberOfReplicas":"3","dataLocality":"disabled"}}`
	answers := map[string]string{
		"/version": `{"gitVersion":"v1.34.4"}`,
		"/apis/storage.k8s.io/v1/storageclasses/fast":           class,
		"/apis/storage.k8s.io/v1/csidrivers/driver.longhorn.io": `{"metadata":{"name":"driver.longhorn.io","annotations":{"driver.longhorn.io/version":"v1.8.0"}},"spec":{"attachRequired":true}}`,
	}
	const needs = "cluster class fast (driver.longhorn.io)\n        own claim of 20 GiB ReadWriteMany Filesystem   Kubernetes v1.34.4\n"
	for name, c := range map[string]struct {
		may  func(path string) bool
		want string
	}{
		"all rights": {func(string) bool { return true }, needs + "        parameters dataLocality=disabled, numberOfReplicas=3\nstorage Longhorn v1.8.0   3 replicas   data locality disabled\n"},
		"not the driver": {func(path string) bool { return !strings.Contains(path, "csidrivers") }, needs + "        parameters dataLocality=disabled, numberOfReplicas=3\nstorage Longhorn   3 replicas   data locality disabled\n" +
			"        version not known (the right to get csidrivers.storage.k8s.io is missing\n        (deploy/role.yaml has it))\n"},
		"none": {func(path string) bool { return path == "/version" }, "cluster class fast   own claim of 20 GiB ReadWriteMany Filesystem\n        Kubernetes v1.34.4\n" +
			"storage the storage system not known (neither the StorageClass nor the volume\n        may be read (deploy/role.yaml has the rights))\n"},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch text, known := answers[r.URL.Path]; {
				case r.Method != http.MethodGet || !known:
					t.Errorf("a plan asks for %s %s", r.Method, r.URL)
					w.WriteHeader(http.StatusNotFound)
				case !c.may(r.URL.Path):
					w.WriteHeader(http.StatusForbidden)
					fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no"}`)
				default:
					fmt.Fprint(w, text)
				}
			}))
			t.Cleanup(web.Close)
			file := filepath.Join(t.TempDir(), "kubeconfig")
			config := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: \"" + web.URL + "\"}}]\n" +
				"contexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n"
			if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			e := env.OS()
			var out, said bytes.Buffer
			e.Args, e.Stdout, e.Stderr, e.Output = []string{"plan", "sc:fast?access=RWX", "--image", "loadline:test", "--kubeconfig", file}, &out, &said, env.Terminal{Width: 80, Unicode: true}
			if code := Run(t.Context(), e); code != 0 {
				t.Fatalf("exit code %d: %s", code, said.String())
			}
			if _, after, _ := strings.Cut(out.String(), "\n"); !strings.HasPrefix(after, c.want+"volume") {
				t.Errorf("%s\nwant:\n%s", out.String(), c.want)
			}
		})
	}
}
