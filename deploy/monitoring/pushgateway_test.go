package monitoring

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/test/lab"
)

// group is what a Pushgateway stores of one push, as its API returns it.
type group struct {
	Labels     map[string]string
	Operations struct {
		Metrics []struct {
			Labels map[string]string
			Value  string
		}
	} `json:"loadline_operations_per_second"`
	Ratio    json.RawMessage `json:"loadline_comparison_ratio"`
	Failures struct {
		Metrics []struct{ Value string }
	} `json:"push_failure_time_seconds"`
}

// A real Pushgateway accepts what --push sends: a run and a comparison are separate groups,
// the next run of the same target replaces the first, a custom group contains what is
// pushed into it, and what is scraped from it has no failed push. The targets' names contain characters
// that must be escaped in the path of a URL.
func TestAPushgatewayTakesTheResults(t *testing.T) {
	lab.Need(t, "prometheus-pushgateway")
	at := listening(t, "prometheus-pushgateway", "--persistence.file="+filepath.Join(t.TempDir(), "kept"))
	results := t.TempDir()
	const slow, fast = "fake:?iops=3000&cv=0.002", "fake:?iops=6000&cv=0.002"
	push := func(address string, args ...string) {
		t.Helper()
		var said output
		args = append(args, "--profile", "quick", "--only", "rand-read-iops", "--seed", "7", "--label", "env=staging", "--results", results, "--push", address)
		if code := loadline(t.Context(), &said, nil, args...); code != 0 || !strings.Contains(said.String(), "pushed  http://"+at) {
			t.Fatalf("%q: exit code %d\n%s", args, code, said.String())
		}
	}
	push("http://"+at, "run", slow)
	push("http://"+at, "run", slow, "--seed", "8")
	push("http://"+at, "compare", slow, fast)
	push("http://"+at+"/metrics/job/nightly/team/a%2Fb", "run", fast)

	var said struct{ Data []group }
	if err := json.Unmarshal(get(t, "http://"+at+"/api/v1/metrics"), &said); err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, g := range said.Data {
		instance := g.Labels["instance"]
		_, target, _ := strings.Cut(instance, ":")
		kept = append(kept, strings.Join(strings.Fields(g.Labels["job"]+" "+g.Labels["team"]+" "+target), " "))
		if len(g.Failures.Metrics) != 1 || g.Failures.Metrics[0].Value != "0" {
			t.Errorf("%v: a push has failed: %+v", g.Labels, g.Failures)
		}
		switch compared := strings.Contains(target, ","); {
		case compared && len(g.Ratio) == 0:
			t.Errorf("%v has no comparison", g.Labels)
		case !compared && (len(g.Operations.Metrics) != 1 || g.Operations.Metrics[0].Labels["label_env"] != "staging"):
			t.Errorf("%v: %+v", g.Labels, g.Operations)
		}
	}
	slices.Sort(kept)
	if want := []string{"loadline " + slow, "loadline " + slow + "," + fast, "nightly a/b"}; !slices.Equal(kept, want) {
		t.Errorf("it keeps %q, want %q", kept, want)
	}
	if scraped := string(get(t, "http://"+at+"/metrics")); strings.Count(scraped, "\nloadline_operations_per_second{") != 2 {
		t.Errorf("a scrape of it has:\n%.2000s", scraped)
	}
}

// get returns the body of a response.
func get(t *testing.T, address string) []byte {
	t.Helper()
	c := http.Client{Timeout: 10 * time.Second}
	r, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, r.Status, err)
	}
	return text
}
