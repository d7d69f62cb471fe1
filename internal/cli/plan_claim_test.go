package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
)

// TestPlanRefusesTheClaimsThatRunRefuses: a raw device that a pod uses is never overwritten,
// also where that pod is of another run of ours; and what cannot be measured at all is not
// planned either. A Job is not made for it.
func TestPlanRefusesTheClaimsThatRunRefuses(t *testing.T) {
	const user = `{"metadata":{"name":"vm","labels":{%s}},"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]},"status":{"phase":"Running"}}`
	const job = "rand-write-iops"
	for name, c := range map[string]struct {
		mode, access, pods string
		args               []string
		want, hint         string
	}{
		"raw and used": {"Block", "ReadWriteOnce", fmt.Sprintf(user, ""), []string{"--only", job, "--destroy-data-on", "pvc:data"},
			"pvc:data is a raw device that the pod vm uses", "leave out --destroy-data-on"},
		"used by another run of ours": {"Block", "ReadWriteOnce", fmt.Sprintf(user, `"loadline/run":"other"`), []string{"--only", job, "--destroy-data-on", "pvc:data"},
			"the pod vm (of another run of Loadline's) uses", ""},
		"raw, and read only":  {"Block", "ReadWriteOnce", fmt.Sprintf(user, ""), []string{"--only", "rand-read-iops", "--size", "64Mi"}, "", ""},
		"raw and free":        {"Block", "ReadWriteOnce", "", []string{"--only", job, "--destroy-data-on", "pvc:data", "--size", "64Mi"}, "", ""},
		"one pod":             {"Filesystem", "ReadWriteOncePod", fmt.Sprintf(user, ""), nil, "pvc:data is ReadWriteOncePod, and the pod vm uses it", "sc:fast"},
		"nobody may write":    {"Filesystem", "ReadOnlyMany", "", nil, "pvc:data is ReadOnlyMany", "sc:fast"},
		"a filesystem in use": {"Filesystem", "ReadWriteOnce", fmt.Sprintf(user, ""), []string{"--size", "64Mi"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, verb := range [][]string{{"plan"}, {"run", "--in-cluster"}, {"run"}} {
				made := 0
				web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					switch {
					case r.Method != http.MethodGet:
						made++
						w.WriteHeader(http.StatusForbidden)
						fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"nothing is made here"}`)
					case r.URL.Path == "/version":
						fmt.Fprint(w, `{"gitVersion":"v1.34.4"}`)
					case strings.HasSuffix(r.URL.Path, "/persistentvolumeclaims/data"):
						fmt.Fprintf(w, `{"metadata":{"name":"data"},"spec":{"storageClassName":"fast","volumeMode":%q,"accessModes":[%q]},"status":{"phase":"Bound","capacity":{"storage":"1Gi"}}}`, c.mode, c.access)
					case strings.HasSuffix(r.URL.Path, "/pods"):
						fmt.Fprintf(w, `{"items":[%s]}`, c.pods)
					default:
						w.WriteHeader(http.StatusNotFound)
						fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"message":"not found"}`)
					}
				}))
				t.Cleanup(web.Close)
				dir := t.TempDir()
				file := filepath.Join(dir, "kubeconfig")
				config := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: \"" + web.URL + "\"}}]\n" +
					"contexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n"
				if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
					t.Fatal(err)
				}
				e := env.OS()
				var out, said bytes.Buffer
				e.Args = append(append(append([]string{}, verb...), "pvc:data", "--kubeconfig", file, "--image", "loadline:test"), c.args...)
				if verb[0] == "run" {
					e.Args = append(e.Args, "--results", dir)
				}
				e.Stdout, e.Stderr, e.Output = &out, &said, env.Terminal{Width: 80, Unicode: true}
				code := Run(t.Context(), e)
				switch {
				case c.want == "" && verb[0] == "plan" && code != 0:
					t.Errorf("%q: exit code %d: %s", verb, code, said.String())
				case c.want != "" && (code != exitUsage || made != 0 || !strings.Contains(said.String(), c.want) || !strings.Contains(said.String(), c.hint)):
					t.Errorf("%q: exit code %d, %d made: %s", verb, code, made, said.String())
				case c.want == "" && verb[0] == "run" && made == 0:
					t.Errorf("%q: nothing was tried: %s", verb, said.String())
				}
			}
		})
	}
}
