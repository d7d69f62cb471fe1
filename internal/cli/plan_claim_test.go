package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/env"
)

// TestPlanRefusesTheClaimsThatRunRefuses checks that a raw device used by a pod is never overwritten,
// even if that pod belongs to another run of ours, and that what cannot be measured is not
// planned either. No Job is created for it.
func TestPlanRefusesTheClaimsThatRunRefuses(t *testing.T) {
	user := func(labels kubetest.Object) []any {
		return []any{kubetest.Object{"apiVersion": "v1", "kind": "Pod", "metadata": kubetest.Object{"name": "vm", "namespace": "n", "labels": labels},
			"spec":   kubetest.Object{"volumes": []any{kubetest.Object{"name": "v", "persistentVolumeClaim": kubetest.Object{"claimName": "data"}}}},
			"status": kubetest.Object{"phase": "Running"}}}
	}
	claim := func(mode, access string) any {
		return kubetest.Object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": kubetest.Object{"name": "data", "namespace": "n"},
			"spec":   kubetest.Object{"storageClassName": "fast", "volumeMode": mode, "accessModes": []any{access}},
			"status": kubetest.Object{"phase": "Bound", "capacity": kubetest.Object{"storage": "1Gi"}}}
	}
	const job = "rand-write-iops"
	for name, c := range map[string]struct {
		mode, access string
		pods         []any
		args         []string
		want, hint   string
	}{
		"raw and used": {"Block", "ReadWriteOnce", user(nil), []string{"--only", job, "--destroy-data-on", "pvc:data"},
			"pvc:data is a raw device that the pod vm uses", "leave out --destroy-data-on"},
		"used by another run of ours": {"Block", "ReadWriteOnce", user(kubetest.Object{"loadline/run": "other"}), []string{"--only", job, "--destroy-data-on", "pvc:data"},
			"the pod vm (of another run of Loadline's) uses", ""},
		"raw, and read only":  {"Block", "ReadWriteOnce", user(nil), []string{"--only", "rand-read-iops", "--size", "64Mi"}, "", ""},
		"raw and free":        {"Block", "ReadWriteOnce", nil, []string{"--only", job, "--destroy-data-on", "pvc:data", "--size", "64Mi"}, "", ""},
		"one pod":             {"Filesystem", "ReadWriteOncePod", user(nil), nil, "pvc:data is ReadWriteOncePod, and the pod vm uses it", "sc:fast"},
		"nobody may write":    {"Filesystem", "ReadOnlyMany", nil, nil, "pvc:data is ReadOnlyMany", "sc:fast"},
		"a filesystem in use": {"Filesystem", "ReadWriteOnce", user(nil), []string{"--size", "64Mi"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, verb := range [][]string{{"plan"}, {"run", "--in-cluster"}, {"run"}} {
				s, file := playedCluster(t, append(c.pods, claim(c.mode, c.access))...)
				dir := t.TempDir()
				e := env.OS()
				var out, stderr bytes.Buffer
				e.Args = append(append(append([]string{}, verb...), "pvc:data", "--kubeconfig", file, "--image", "loadline:test"), c.args...)
				if verb[0] == "run" {
					e.Args = append(e.Args, "--results", dir)
				}
				e.Stdout, e.Stderr, e.Output = &out, &stderr, env.Terminal{Width: 80, Unicode: true}
				code := Run(t.Context(), e)
				switch {
				case c.want == "" && verb[0] == "plan" && code != 0:
					t.Errorf("%q: exit code %d: %s", verb, code, stderr.String())
				case c.want != "" && (code != exitUsage || len(changes(s)) > 0 || !strings.Contains(stderr.String(), c.want) || !strings.Contains(stderr.String(), c.hint)):
					t.Errorf("%q: exit code %d, %q made: %s", verb, code, changes(s), stderr.String())
				case c.want == "" && verb[0] == "run" && len(changes(s)) == 0:
					t.Errorf("%q: nothing was tried: %s", verb, stderr.String())
				}
			}
		})
	}
}
