package serve

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

func TestOneRunIsShownAsItWasSaved(t *testing.T) {
	s := newSite(t, nil)
	dir := s.run("one", 100, nil)
	saved, err := os.ReadFile(filepath.Join(dir, store.ReportFile))
	s.check(err)
	v, _ := s.view("one")
	var want, got any
	s.check(json.Unmarshal(saved, &want))
	if len(v.Reports) != 1 {
		t.Fatalf("%d reports, remarks %v", len(v.Reports), v.Remarks)
	}
	s.check(json.Unmarshal(v.Reports[0], &got))
	if diff := cmp.Diff(want, got); diff != "" || len(v.Remarks) > 0 {
		t.Errorf("%s%v", diff, v.Remarks)
	}
}

func TestSeveralRunsAreComparedWithTheFirst(t *testing.T) {
	s := newSite(t, nil)
	s.run("one", 100, nil)
	s.run("two", 200, nil)
	s.run("three", 300, nil)
	v, _ := s.view("two", "one", "three", "two")
	if len(v.Reports) != 3 || len(v.Comparisons) != 2 {
		t.Fatalf("%d reports, %d comparisons, remarks %v", len(v.Reports), len(v.Comparisons), v.Remarks)
	}
	for i, want := range []float64{0.5, 1.5} {
		var c model.Comparison
		s.check(json.Unmarshal(v.Comparisons[i], &c))
		if c.Rows[0].Ratio.Value != want || c.A.ID != "two" {
			t.Errorf("comparison %d: %v with %s, want %v", i, c.Rows[0].Ratio.Value, c.A.ID, want)
		}
	}
}

func TestWhatCannotBeComparedSaysWhy(t *testing.T) {
	s := newSite(t, func(o *Options) {
		o.compare = func(_, _ analyze.Measured) (*model.Comparison, error) {
			return nil, errors.New("they have nothing in common")
		}
	})
	s.run("one", 100, nil)
	s.run("two", 100, nil)
	live := s.begin(s.folder, "live", nil)
	defer live.Finish(model.Complete, "")
	v, _ := s.view("one", "two", "live")
	said := strings.Join(v.Remarks, "\n")
	if len(v.Reports) != 3 || len(v.Comparisons) != 0 || !strings.Contains(said, "nothing in common") || !strings.Contains(said, "live: it is compared with one when") {
		t.Errorf("%d reports, %d comparisons:\n%s", len(v.Reports), len(v.Comparisons), said)
	}
}

func TestTooManyOrNoneIsRefused(t *testing.T) {
	s := newSite(t, nil)
	if _, code := s.view(); code != http.StatusBadRequest {
		t.Errorf("no run: %d", code)
	}
	if _, code := s.view("1", "2", "3", "4", "5", "6", "7"); code != http.StatusBadRequest {
		t.Errorf("seven runs: %d", code)
	}
	if _, code := s.view("nobody"); code != http.StatusNotFound {
		t.Errorf("an unknown run: %d", code)
	}
}

func TestDamagedDirectoriesAreShownAsFarAsTheyGo(t *testing.T) {
	s := newSite(t, nil)
	torn := s.run("torn", 100, nil)
	s.check(store.WriteFile(torn, store.ReportFile, []byte("{")))
	empty := filepath.Join(s.folder, "20260102-030405")
	s.check(os.Mkdir(empty, 0o755))
	v, _ := s.view("torn")
	if len(v.Reports) != 1 || !strings.Contains(strings.Join(v.Remarks, "\n"), "report.json cannot be read") {
		t.Errorf("a torn report: %d reports, %v", len(v.Reports), v.Remarks)
	}
	v, _ = s.view("20260102-030405", "torn")
	if len(v.Reports) != 1 || !strings.Contains(strings.Join(v.Remarks, "\n"), "there is no plan.json") {
		t.Errorf("an empty directory: %d reports, %v", len(v.Reports), v.Remarks)
	}
}

func TestAComparisonShowsBothSidesAndStandsForSideBBesideOthers(t *testing.T) {
	s := newSite(t, nil)
	pair := filepath.Join(s.folder, "pair")
	for i, side := range []string{"a", "b"} {
		w := s.begin(pair, side, nil)
		s.measure(w, 1, 1, uint64(100+i))
		s.check(w.Finish(model.Complete, ""))
	}
	v, _ := s.view("pair")
	if len(v.Reports) != 2 || len(v.Comparisons) != 0 || len(v.Remarks) != 1 {
		t.Errorf("without a document: %d reports, %d comparisons, %v", len(v.Reports), len(v.Comparisons), v.Remarks)
	}
	s.check(store.WriteFile(pair, store.ComparisonFile, []byte(`{"schema":"loadline.comparison/v1"}`)))
	if v, _ = s.view("pair"); len(v.Reports) != 2 || len(v.Comparisons) != 1 {
		t.Errorf("with a document: %d reports, %d comparisons, %v", len(v.Reports), len(v.Comparisons), v.Remarks)
	}
	s.run("one", 100, nil)
	if v, _ = s.view("one", "pair"); len(v.Reports) != 2 || v.Runs[1].Path != "pair/b" || len(v.Comparisons) != 1 {
		t.Errorf("beside a run: %+v, %v", v.Runs, v.Remarks)
	}
	if v, _ = s.view("pair/a"); len(v.Reports) != 1 {
		t.Errorf("one side: %+v, %v", v.Runs, v.Remarks)
	}
}

func TestDurabilityTestsAreShown(t *testing.T) {
	s := newSite(t, nil)
	dir := filepath.Join(s.folder, "cut")
	s.check(os.Mkdir(dir, 0o755))
	s.check(store.WriteFile(dir, "ledger.jsonl", []byte("{}\n")))
	s.check(store.WriteFile(dir, store.ReportFile, []byte(`{"schema":"loadline.durability/v1","result":"lost-writes"}`)))
	if v, _ := s.view("cut"); len(v.Durability) != 1 || len(v.Runs) != 1 || len(v.Remarks) > 0 {
		t.Errorf("%+v", v)
	}
}

func TestTheBundleHoldsTheDirectory(t *testing.T) {
	s := newSite(t, nil)
	dir := s.run("one", 100, nil)
	s.check(os.Symlink("/etc/passwd", filepath.Join(dir, "raw", "link")))
	s.check(os.WriteFile(filepath.Join(dir, "raw", "0001.json"), []byte("{}"), 0o600))
	_, body, header := s.get("/api/bundle?run=one", nil)
	if got := header.Get("Content-Disposition"); got != "attachment; filename=one.tar" {
		t.Error(got)
	}
	got := map[string]string{}
	for in := tar.NewReader(strings.NewReader(body)); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		s.check(err)
		data, err := io.ReadAll(in)
		s.check(err)
		got[h.Name] = string(data)
	}
	want := map[string]string{}
	s.check(filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			data, readErr := os.ReadFile(path)
			rel, _ := filepath.Rel(s.folder, path)
			want[rel], err = string(data), readErr
		}
		return err
	}))
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 6 {
		t.Error(diff)
	}
}

func TestTheBundleOfARunningRunIsWhole(t *testing.T) {
	s := newSite(t, nil)
	w := s.begin(s.folder, "live", nil)
	defer w.Finish(model.Complete, "")
	s.measure(w, 1, 50, 100)
	_, body, _ := s.get("/api/bundle?run=live", nil)
	in := tar.NewReader(strings.NewReader(body))
	for {
		if _, err := in.Next(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// A trace recorded alongside a run is shown with it; a link in its place, or a file that is not a
// trace, is not.
func TestATraceBesideARunIsShownWithIt(t *testing.T) {
	s := newSite(t, nil)
	traced, linked := s.run("traced", 100, nil), s.run("linked", 100, nil)
	s.run("plain", 100, nil)
	other := s.run("other", 100, nil)
	const doc = `{"schema":"loadline.trace/v1","run":{"seconds":30},"rows":[],"kinds":[],"findings":[]}`
	for dir, text := range map[string]string{traced: doc, other: `{"schema":"loadline.report/v1"}`} {
		s.check(os.Mkdir(filepath.Join(dir, store.TraceDir), 0o700))
		s.check(os.WriteFile(filepath.Join(dir, store.TraceDir, store.ReportFile), []byte(text), 0o600))
	}
	s.check(os.Symlink(filepath.Join(traced, store.TraceDir), filepath.Join(linked, store.TraceDir)))
	v, _ := s.view("plain", "traced", "linked", "other")
	if len(v.Beside) != 4 || string(v.Beside[0]) != "null" || string(v.Beside[1]) != doc || string(v.Beside[2]) != "null" || string(v.Beside[3]) != "null" {
		t.Errorf("%s", v.Beside)
	}
	said := strings.Join(v.Remarks, "\n")
	for _, path := range []string{"linked", "other"} {
		if !strings.Contains(said, path+": the trace beside it cannot be shown") {
			t.Errorf("nothing is said of %s:\n%s", path, said)
		}
	}
	if strings.Contains(said, "plain: the trace") {
		t.Error(said)
	}
	if v, _ = s.view("plain"); v.Beside != nil {
		t.Errorf("%s", v.Beside)
	}
}
