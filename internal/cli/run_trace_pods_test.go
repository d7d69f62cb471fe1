package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/show/report/text"
)

// A plan with --trace shows the tracer's pod, with its two capabilities and no other access to
// the node, after asking the cluster whether it would admit the pod; nothing is created.
func TestPlanOfATraceInACluster(t *testing.T) {
	s := kubetest.New(t, storageClass("fast", "example.com/disk"))
	kubeconfig := kubetest.Config(t, s.URL)
	run := runner(t, "--trace", "--kubeconfig", kubeconfig)
	before := s.Paths()
	for _, args := range [][]string{{"plan", "sc:fast", "--image", "loadline:test"}, {"plan", "app", "postgres", "sc:fast", "--worker-image", "loadline:test"}} {
		code, out, stderr := run(args...)
		if code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr)
		}
		_, tracer, shown := strings.Cut(out, text.TracerWords)
		for _, w := range []string{"add:\n        - BPF\n        - PERFMON\n        drop:\n        - ALL", "allowPrivilegeEscalation: false", "readOnlyRootFilesystem: true", "runAsUser: 0",
			"type: RuntimeDefault", "image: loadline:test", "- loadline\n    - agent\n    - --trace", "kind: Pod", "loadline/run: loadline-"} {
			if !shown || !strings.Contains(tracer, w) {
				t.Errorf("%v: no %q in\n%s", args, w, tracer)
			}
		}
		for _, w := range []string{"hostPath", "hostPID", "hostNetwork", "hostIPC", "privileged: true", "persistentVolumeClaim", "loadline/token"} {
			if strings.Contains(tracer, w) {
				t.Errorf("%v: %q in\n%s", args, w, tracer)
			}
		}
	}
	code, out, stderr := run("plan", "sc:fast", "--image", "loadline:test", "--format", "json")
	var document struct{ Tracer string }
	if err := json.Unmarshal([]byte(out), &document); code != exitOK || err != nil || !strings.Contains(document.Tracer, "- PERFMON") {
		t.Errorf("exit code %d, %v: %s%s", code, err, out, stderr)
	}
	if now := s.Paths(); !slices.Equal(before, now) {
		t.Errorf("a plan made %v of %v", now, before)
	}
	// If Pod Security forbids it, that is reported before anything is created or measured.
	s.Refuse("POST", "/api/v1/namespaces/n/pods", `pods "x" is forbidden: violates PodSecurity "baseline:latest": non-default capabilities (container "worker" must not include "BPF", "PERFMON" in securityContext.capabilities.add)`)
	for _, args := range [][]string{{"plan", "sc:fast", "--image", "i"}, {"run", "sc:fast", "--image", "i"}, {"scale", "sc:fast", "--image", "i"}, {"app", "postgres", "pvc:n/data", "--worker-image", "i"}} {
		code, out, stderr := run(args...)
		if code != exitUsage || !strings.Contains(stderr, "--trace needs a pod with the capabilities BPF and PERFMON") || !strings.Contains(stderr, "pod-security.kubernetes.io/enforce=privileged") {
			t.Errorf("%v: exit code %d: %s%s", args, code, out, stderr)
		}
	}
	if now := s.Paths(); !slices.Equal(before, now) {
		t.Errorf("a refused trace made %v of %v", now, before)
	}
}
