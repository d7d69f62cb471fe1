package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// TestResultsArePushed runs whole commands against a server that parses what a Pushgateway
// does: a run and a comparison are separate groups, and a failed push has an exit code.
func TestResultsArePushed(t *testing.T) {
	var mu sync.Mutex
	pushed, status := map[string]map[string]bool{}, http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		names := map[string]bool{}
		for d := expfmt.NewDecoder(r.Body, expfmt.ResponseFormat(r.Header)); ; {
			var f dto.MetricFamily
			if d.Decode(&f) != nil {
				break
			}
			names[f.GetName()] = true
		}
		pushed[r.URL.Path] = names
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	results := t.TempDir()
	do := func(want int, args ...string) string {
		t.Helper()
		e, _, stderr := world(append(args, "--profile", "quick", "--only", "rand-read-iops", "--seed", "7", "--results", results, "--push", server.URL+"/metrics/job/ci")...)
		if code := Run(t.Context(), e); code != want {
			t.Fatalf("%v: exit code %d, want %d\n%s", args, code, want, stderr)
		}
		return stderr.String()
	}
	if stderr := do(0, "run", "fake:?iops=3000&cv=0.002"); !strings.Contains(stderr, "pushed  "+server.URL) {
		t.Error(stderr)
	}
	do(exitRegression, "compare", "fake:?iops=3000&seed=1", "fake:?iops=2000&seed=2")
	if len(pushed) != 2 {
		t.Errorf("%v", pushed)
	}
	for path, names := range pushed {
		compared := strings.Contains(path, ",fake:?iops=2000&seed=2")
		if !strings.HasPrefix(path, "/metrics/job/ci/instance") || compared != names["loadline_comparison_ratio"] || compared == names["loadline_operations_per_second"] {
			t.Errorf("%s: %v", path, names)
		}
	}
	status = http.StatusInternalServerError
	if stderr := do(exitFailed, "run", "fake:?iops=3000&cv=0.002"); !strings.Contains(stderr, "status code 500") || !strings.Contains(stderr, "next: loadline report "+results+"/") || !strings.Contains(stderr, " --format prometheus writes the same metrics") {
		t.Error(stderr)
	}
	if stderr := do(exitFailed, "compare", "fake:?iops=3000&seed=1", "fake:?iops=2000&seed=2", "--fail-on", "none"); !strings.Contains(stderr, "next: loadline report "+results+"/") || strings.Contains(stderr, "RUN") {
		t.Error(stderr)
	}
	if stderr := do(exitGoal, "run", "fake:?iops=3000&cv=0.002", "--goal", "rand-read-iops iops > 9k"); !strings.Contains(stderr, "status code 500") {
		t.Error(stderr)
	}
	// A failed run would replace a complete one.
	pushed = map[string]map[string]bool{}
	if stderr := do(exitFailed, "run", "fake:?iops=3000&fail-after=5"); len(pushed) != 0 || !strings.Contains(stderr, "nothing was pushed") {
		t.Errorf("%v\n%s", pushed, stderr)
	}
}
