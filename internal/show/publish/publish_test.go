package publish

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/metrics"
	"github.com/loadline/loadline/internal/show/report/format"
)

// found returns a run with that status and a missed goal.
func found(status model.Status) *format.Documents {
	r := &model.Report{Run: model.RunInfo{ID: "r", Status: status, Target: model.Target{Name: "/data", Kind: model.Directory, Path: "/data"}}}
	r.Goals = []model.Goal{{Text: "w iops > 9k", Workload: "w", Outcome: model.Missed}}
	return &format.Documents{Reports: []*model.Report{r}}
}

// Each destination gets the results, whatever the others do, and all errors are reported.
func TestOneFailureDoesNotKeepResultsFromOthers(t *testing.T) {
	pushed := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { pushed++ }))
	t.Cleanup(server.Close)
	gateway, err := metrics.ParseGateway(server.URL + "/metrics/job/ci")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	var annotations strings.Builder
	var said []string
	d := Destinations{
		JUnit: filepath.Join(folder, "checks.xml"), Annotations: &annotations, Summary: folder, Gateway: gateway,
		Said: func(what, where string) { said = append(said, what+" "+where) }, Note: func(words string) { t.Error(words) },
	}
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	err = d.Publish(t.Context(), found(model.Complete), nil)
	if err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a folder as the summary: %v", err)
	}
	if want := "junit " + d.JUnit + ", pushed " + gateway.Name(); strings.Join(said, ", ") != want || pushed != 1 {
		t.Errorf("said %q, want %q; %d pushes", said, want, pushed)
	}
	if !strings.Contains(annotations.String(), "::error") {
		t.Errorf("annotations: %s", annotations.String())
	}
}

func TestInterruptedRunsAreNotPushed(t *testing.T) {
	gateway, err := metrics.ParseGateway("http://127.0.0.1:1/metrics/job/ci")
	if err != nil {
		t.Fatal(err)
	}
	var noted string
	d := Destinations{Gateway: gateway, Note: func(words string) { noted = words }}
	if err := d.Publish(t.Context(), found(model.Interrupted), nil); err != nil || !strings.Contains(noted, "would replace a complete one") {
		t.Errorf("%v, noted %q", err, noted)
	}
}

func TestWhatIsNoReportIsNotReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&Destinations{JUnit: "-"}).Check(); err == nil || !strings.Contains(err.Error(), "--junit cannot be written to standard output") {
		t.Errorf("%v, want a refusal of standard output", err)
	}
	if err := (&Destinations{JUnit: file}).Check(); err == nil || !strings.HasPrefix(err.Error(), "--junit: ") {
		t.Errorf("%v", err)
	}
}
