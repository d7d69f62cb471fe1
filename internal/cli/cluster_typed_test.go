package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A flag for pods says where to measure. If it were ignored, another place would be measured without a word.
func TestTypedFlagsForPodsNeedATargetInACluster(t *testing.T) {
	const words = "targets in a Kubernetes cluster, and nothing that is measured here is in one\n  next: leave "
	dir, other := t.TempDir(), t.TempDir()
	file := filepath.Join(t.TempDir(), "experiment.yaml")
	if err := os.WriteFile(file, []byte("scenario: profile\ntarget: "+dir+"\nprofile: quick\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, verb := range [][]string{
		{"run", dir}, {"run", dir, "--baseline", other}, {"plan", dir}, {"compare", dir, other}, {"plan", "compare", dir, other},
		{"sweep", dir}, {"plan", "sweep", dir}, {"scale", dir}, {"plan", "scale", dir}, {"run", "--experiment", file}, {"plan", "--experiment", file},
		{"run", "fake:fast"}, {"run", filepath.Join(dir, "new"), "--create"}, {"run", "/srv", "--hosts", "nowhere.invalid"},
		{"app", "postgres", dir}, {"plan", "app", "postgres", dir}, {"compare", "app", "postgres", dir, other}, {"app", "postgres", "postgres://nowhere.invalid/x"},
	} {
		refused(t, "--node is for "+words, append(verb, "--node", "nosuchnode")...)
	}
	for _, flags := range [][]string{
		{"-n", "x"}, {"--namespace", "x"}, {"--context", "x"}, {"--kubeconfig", "x"}, {"--image", "x"}, {"--as-root"}, {"--spread", "hard"},
		{"--fs-group", "0"}, {"--pull-secret", "x"}, {"--keep"}, {"--toleration", "*"}, {"--resources", "cpu=1"}, {"--ready-within", "5m"},
		{"--access-mode", "RWX"}, {"--node-selector", "disk=ssd"}, {"--selinux-level", "s0"}, {"--run-as-user", "0"},
	} {
		refused(t, " is for "+words, append([]string{"plan", dir}, flags...)...)
	}
	refused(t, "--node, --keep are for "+words+"them out", "plan", dir, "--node", "x", "--keep")
}

// In a cluster, or with a side or a log in one, they are not in the way of what comes next.
func TestTypedFlagsForPodsAreForEverySideInACluster(t *testing.T) {
	dir := t.TempDir()
	for _, verb := range [][]string{
		{"plan", "sc:x"}, {"run", dir, "--baseline", "sc:x"}, {"run", "pvc:n/x"}, {"compare", "sc:x", dir}, {"scale", dir, "sc:x"},
		{"plan", "app", "postgres", "sc:x"}, {"plan", "app", "postgres", dir, "--wal", "sc:x"},
	} {
		code, _, errs := runLoadline(t, append(verb, "--kubeconfig", filepath.Join(dir, "none"), "--node", "x")...)
		if code == exitOK || strings.Contains(errs, "nothing that is measured here") {
			t.Errorf("%v: exit code %d: %s", verb, code, errs)
		}
	}
	// A refusal that knows better what is missing comes first.
	refused(t, "--detach needs --in-cluster", "run", dir, "--detach", "--namespace", "x")
	refused(t, "is in none", "app", "postgres", dir, "--client-node", "other", "--namespace", "x")
}

// A value of the configuration is for the commands that use a cluster. In the others it is not refused, and neither is
// it repeated in what they advise.
func TestConfiguredFlagsForPodsAreNotRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("image: 'mine:1'\nnamespace: bench\ncommands:\n  run: {ready-within: 7m}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LOADLINE_TOLERATION", "a=b:NoSchedule")
	code, _, errs := runLoadline(t, "plan", dir, "--size", "32MiB", "--config", file)
	if code != exitOK || strings.Contains(errs, "mine:1") || strings.Contains(errs, "bench") || strings.Contains(errs, "7m") || strings.Contains(errs, "toleration") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	// A mistake ends it before the cluster is looked for.
	_, _, errs = runLoadline(t, "plan", "sc:x", "--size", "none", "--config", file)
	for _, want := range []string{"--image=mine:1", "--namespace=bench", "--ready-within=7m", "--toleration=a=b:NoSchedule"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%s is not applied: %s", want, errs)
		}
	}
}
