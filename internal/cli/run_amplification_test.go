package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/show/report/text"
)

// A plan with --amplification shows the pod that counts, which mounts a directory of the node read-only and
// has no other right, after asking the cluster whether it would admit the pod; nothing is created.
func TestPlanOfCountingInACluster(t *testing.T) {
	s := kubetest.New(t, storageClass("fast", "example.com/disk"))
	kubeconfig := kubetest.Config(t, s.URL)
	run := runner(t, "--amplification", "--kubeconfig", kubeconfig)
	before := s.Paths()
	for _, args := range [][]string{{"plan", "sc:fast", "--image", "loadline:test"}, {"plan", "app", "postgres", "sc:fast", "--worker-image", "loadline:test"}} {
		code, out, said := run(args...)
		if code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, said)
		}
		_, counter, shown := strings.Cut(out, text.CounterWords)
		for _, w := range []string{"hostPath:\n      path: /var/lib/longhorn\n      type: Directory", "mountPath: /disks/1\n      name: disk1\n      readOnly: true", "drop:\n        - ALL", "allowPrivilegeEscalation: false",
			"readOnlyRootFilesystem: true", "runAsNonRoot: true", "type: RuntimeDefault", "image: loadline:test", "- loadline\n    - agent\n    - --trace", "kind: Pod", "loadline/run: loadline-"} {
			if !shown || !strings.Contains(counter, w) {
				t.Errorf("%v: no %q in\n%s", args, w, counter)
			}
		}
		for _, w := range []string{"add:", "hostPID", "hostNetwork", "hostIPC", "privileged: true", "persistentVolumeClaim", "loadline/token", text.TracerWords} {
			if strings.Contains(counter, w) {
				t.Errorf("%v: %q in\n%s", args, w, counter)
			}
		}
	}
	code, out, said := run("plan", "sc:fast", "--image", "loadline:test", "--format", "json")
	var document struct{ Counter, Tracer string }
	if err := json.Unmarshal([]byte(out), &document); code != exitOK || err != nil || !strings.Contains(document.Counter, "hostPath") || document.Tracer != "" {
		t.Errorf("exit code %d, %v: %s%s", code, err, out, said)
	}
	if now := s.Paths(); !slices.Equal(before, now) {
		t.Errorf("a plan made %v of %v", now, before)
	}
	// If Pod Security forbids it, that is reported before anything is created or measured.
	s.Refuse("POST", "/api/v1/namespaces/n/pods", `pods "x" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes (volume "disk1")`)
	for _, args := range [][]string{{"plan", "sc:fast", "--image", "i"}, {"run", "sc:fast", "--image", "i"}, {"scale", "sc:fast", "--image", "i"}, {"app", "postgres", "pvc:n/data", "--worker-image", "i"}} {
		code, out, said := run(args...)
		if code != exitUsage || !strings.Contains(said, "--amplification needs a pod with a directory of the node mounted read-only (hostPath)") || !strings.Contains(said, "pod-security.kubernetes.io/enforce=privileged") {
			t.Errorf("%v: exit code %d: %s%s", args, code, out, said)
		}
	}
	for want, args := range map[string][]string{
		"is in none":                        {"run", t.TempDir()},
		"with --in-cluster that is a Job's": {"run", "sc:fast", "--image", "i", "--in-cluster"},
		"but a second is measured as well":  {"run", "sc:fast", "--image", "i", "--baseline", "sc:other"},
		"the targets are in both":           {"scale", "sc:fast", t.TempDir(), "--image", "i"},
	} {
		if code, out, said := run(args...); code != exitUsage || !strings.Contains(said, want) {
			t.Errorf("%v: exit code %d, not %q: %s%s", args, code, want, out, said)
		}
	}
	if now := s.Paths(); !slices.Equal(before, now) {
		t.Errorf("a refused count made %v of %v", now, before)
	}
}
