package metrics

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// scrape returns the lines that a scrape of the snapshot yields, without comments.
func scrape(t *testing.T, s Snapshot) []string {
	t.Helper()
	h := Handler(Gatherer(Labels{AccessMode: "rwx", TestMode: "read-only", RateLimit: "rate-limit"}, func() Snapshot { return s }))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("a scrape ends with %d: %s", w.Code, w.Body)
	}
	var lines []string
	for line := range strings.Lines(w.Body.String()) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// Names, labels and units are a contract with existing dashboards.
func TestKbenchsGauges(t *testing.T) {
	got := scrape(t, Snapshot{Unreadable: 2, Readings: []Reading{
		{"iops", "random", "read", 22180.5}, {"bandwidth", "sequential", "write", 297984}, {"latency", "random", "read", 750e3}, {"weight", "random", "read", 1},
	}})
	want := []string{
		`kbench_metric_exporter_bandwidth{io_pattern="sequential",io_type="write",rate_limit_type="rate-limit",test_mode="read-only",volume_access_mode="rwx"} 297984`,
		`kbench_metric_exporter_iops{io_pattern="random",io_type="read",rate_limit_type="rate-limit",test_mode="read-only",volume_access_mode="rwx"} 22180.5`,
		`kbench_metric_exporter_latency{io_pattern="random",io_type="read",rate_limit_type="rate-limit",test_mode="read-only",volume_access_mode="rwx"} 750000`,
		`loadline_exporter_unreadable_files 2`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Reports are exported with intervals, percentiles and verdicts in base units, alongside the
// gauges; Names lists every exported metric with its labels.
func TestReportsAreServed(t *testing.T) {
	known := Names()
	for name, r := range reporttest.Reports() {
		lines := scrape(t, Snapshot{Reports: []*model.Report{r}, Readings: []Reading{{"iops", "random", "read", 1}}})
		for _, line := range lines {
			metric, rest, _ := strings.Cut(line, "{")
			metric = strings.Fields(metric)[0]
			labels, ok := known[metric]
			if !ok {
				t.Errorf("%s: Names does not know %s", name, metric)
			}
			if rest != "" && !slices.ContainsFunc(labels, func(l string) bool { return strings.Contains(rest, l+`="`) }) {
				t.Errorf("%s: %s has none of the labels %v", name, line, labels)
			}
		}
		text := strings.Join(lines, "\n")
		if len(r.Results) > 0 && name == "quick" && (!strings.Contains(text, `statistic="p99"`) || !strings.Contains(text, `verdict="`) || !strings.Contains(text, `bound="low"`)) {
			t.Errorf("%s has no percentiles, verdicts or intervals: %s", name, text)
		}
	}
}

// The same report twice, as from two files of the same name, and no results at all.
func TestScrapesDoNotFail(t *testing.T) {
	for _, r := range reporttest.Reports() {
		scrape(t, Snapshot{Reports: []*model.Report{r, r}})
	}
	if got := scrape(t, Snapshot{}); len(got) != 1 {
		t.Errorf("an empty folder shows %v", got)
	}
}
