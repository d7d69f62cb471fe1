package store

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// finished writes a complete run directory with a report and its card.
func finished(t *testing.T) (string, *model.Report) {
	t.Helper()
	w := begin(t, t.TempDir())
	record(t, w, 3)
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	r := &model.Report{Schema: model.ReportSchema,
		Run: model.RunInfo{ID: "an-id", Status: model.Complete, Note: "<b>", Target: model.Target{Name: "/x", Kind: model.Directory}},
		Results: []model.Result{
			{Workload: "a", Direction: model.Read, Metric: model.IOPS, Estimate: model.Estimate{Value: 3000, Low: 2900, High: 3100}, Verdict: model.Valid},
			{Workload: "b", Direction: model.Write, Metric: model.IOPS, Estimate: model.Estimate{Value: math.NaN()}, Verdict: model.Suspect},
		},
		Findings: []model.Finding{{Severity: model.SeverityWarning}, {Severity: model.SeverityPassed}},
	}
	saveWithCard(t, w.Dir(), r, 0)
	return w.Dir(), r
}

// saveWithCard saves a report padded with spaces, and its card.
func saveWithCard(t *testing.T, dir string, r *model.Report, padding int) {
	t.Helper()
	plain := *r
	plain.Results = r.Results[:1]
	doc, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	doc = append(doc, strings.Repeat(" ", padding)...)
	if err := WriteFile(dir, ReportFile, doc); err != nil {
		t.Fatal(err)
	}
	card, err := CardOfReport(r).File(len(doc))
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(dir, card.Name, card.Data); err != nil {
		t.Fatal(err)
	}
}

func TestACardSaysWhatAListShows(t *testing.T) {
	dir, _ := finished(t)
	c, damage := ReadCard(os.DirFS(dir), "name")
	want := Card{Schema: cardSchema, Kind: runCard, ID: "an-id", Status: model.Complete, Target: "/x", TargetKind: model.Directory, Note: "<b>",
		Verdict: model.Suspect, Warnings: 1, Document: c.Document,
		Results: []CardResult{{Workload: "a", Direction: model.Read, Metric: model.IOPS, Estimate: model.Estimate{Value: 3000, Low: 2900, High: 3100}, Verdict: model.Valid}}}
	if diff := cmp.Diff(want, c); diff != "" || len(damage) > 0 || c.Document == 0 {
		t.Errorf("(-want +got):\n%s\ndamage: %v", diff, damage)
	}
}

// Numbers whose source does not say when they were measured began at no known time, and were imported at one. A card from before
// cards said so is not used.
func TestACardOfUnknownAgeSaysWhenItWasImported(t *testing.T) {
	at, measured := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	dir, r := finished(t)
	r.Run.Target.Kind, r.Run.Started, r.Run.Finished, r.Run.Imported = model.Foreign, at, at, &model.Import{At: at}
	if c := CardOfReport(r); !c.Started.IsZero() || !c.Finished.IsZero() || !c.Imported.Equal(at) {
		t.Errorf("of unknown age: from %s to %s, imported %s", c.Started, c.Finished, c.Imported)
	}
	saveWithCard(t, dir, r, 0)
	saved, err := os.ReadFile(filepath.Join(dir, CardFile))
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Replace(string(saved), `"imported":`, `"started":`, 1)
	if err := WriteFile(dir, CardFile, []byte(before)); err != nil || before == string(saved) {
		t.Fatal(err, before)
	}
	if c, _ := ReadCard(os.DirFS(dir), "name"); !c.Started.IsZero() || !c.Imported.Equal(at) {
		t.Errorf("from before: started %s, imported %s", c.Started, c.Imported)
	}
	// Without a report, what was imported says it.
	if err := errors.Join(remove(dir, ReportFile, CardFile), WriteFile(dir, importedFile, []byte(`{"at":"2026-11-30T12:00:00Z"}`))); err != nil {
		t.Fatal(err)
	}
	if c, _ := ReadCard(os.DirFS(dir), "name"); !c.Started.IsZero() || !c.Imported.Equal(at) {
		t.Errorf("without a report: started %s, imported %s", c.Started, c.Imported)
	}
	r.Run.Imported.Measured = measured
	if c := CardOfReport(r); !c.Started.Equal(measured) || !c.Imported.Equal(at) {
		t.Errorf("of known age: started %s, imported %s", c.Started, c.Imported)
	}
}

// If a program that knows nothing of cards replaces a report, the old report's figures must not be
// listed.
func TestAnOutdatedCardDoesNotCount(t *testing.T) {
	dir, r := finished(t)
	r.Results[0].Value = 9999
	card, err := os.ReadFile(filepath.Join(dir, CardFile))
	if err != nil {
		t.Fatal(err)
	}
	saveWithCard(t, dir, r, 100)
	if err := WriteFile(dir, CardFile, card); err != nil {
		t.Fatal(err)
	}
	if c, _ := ReadCard(os.DirFS(dir), "name"); c.Results[0].Value != 9999 {
		t.Errorf("the list shows %v", c.Results[0].Value)
	}
}

func TestWhatIsWrongWithADirectoryIsSaid(t *testing.T) {
	for name, x := range map[string]struct {
		spoil  func(dir string) error
		kind   CardKind
		status model.Status
		says   string
	}{
		"killed":           {func(dir string) error { return remove(dir, ReportFile, CardFile) }, runCard, model.Complete, ""},
		"no plan":          {func(dir string) error { return remove(dir, ReportFile, CardFile, planFile) }, runCard, model.Complete, "there is no plan.json"},
		"no run":           {func(dir string) error { return remove(dir, ReportFile, CardFile, runFile) }, runCard, "", "there is no run.json"},
		"nothing":          {func(dir string) error { return remove(dir, ReportFile, CardFile, runFile, planFile) }, UnknownCard, "", "there is no plan.json"},
		"a torn report":    {func(dir string) error { return WriteFile(dir, ReportFile, []byte(`{"schema"`)) }, runCard, model.Complete, "report.json cannot be read"},
		"a foreign report": {func(dir string) error { return WriteFile(dir, ReportFile, []byte(`{"schema":"x/v1"}`)) }, runCard, model.Complete, `its schema is "x/v1"`},
		"a torn card":      {func(dir string) error { return WriteFile(dir, CardFile, []byte(`{`)) }, runCard, model.Complete, ""},
		"a folder for a file": {func(dir string) error {
			return errors.Join(remove(dir, ReportFile, CardFile, planFile), os.Mkdir(filepath.Join(dir, planFile), 0o700))
		}, runCard, model.Complete, "plan.json cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := finished(t)
			if err := x.spoil(dir); err != nil {
				t.Fatal(err)
			}
			c, damage := ReadCard(os.DirFS(dir), "name")
			if c.Kind != x.kind || c.Status != x.status {
				t.Errorf("kind %q, status %q", c.Kind, c.Status)
			}
			if said := strings.Join(damage, "; "); !strings.Contains(said, x.says) || x.says == "" && said != "" {
				t.Errorf("it says %q, want %q", said, x.says)
			}
		})
	}
}

// A run that is going on, was killed or has lost its report is listed, and found, like a finished one.
func TestWithoutAReportTheTargetIsAPlaceAndTheLabelsStay(t *testing.T) {
	target := model.Target{Name: "../d1", Kind: model.Directory, Path: "/data/d1"}
	labels := model.Labels{"env": "prod"}
	w, err := Create(t.TempDir(), time.Now, Start{
		Plan: model.Plan{Schema: model.PlanSchema, Volume: model.Volume{Target: target}},
		Run:  model.Run{Schema: model.RunSchema, ID: "an-id", Started: time.Now(), Labels: labels},
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func(state string, status model.Status) {
		t.Helper()
		c, _ := ReadCard(os.DirFS(w.Dir()), "name")
		if c.Target != target.Path || !maps.Equal(c.Labels, labels) || c.Status != status {
			t.Errorf("%s: target %q, labels %v, status %s", state, c.Target, c.Labels, c.Status)
		}
	}
	check("while it runs", model.Running)
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	check("without a report", model.Complete)
	if err := WriteFile(w.Dir(), ReportFile, []byte(`{"schema"`)); err != nil {
		t.Fatal(err)
	}
	check("with a torn report", model.Complete)
}

func TestADurabilityTestIsListedByItsPlace(t *testing.T) {
	target := model.Target{Name: "../d1", Kind: model.Directory, Path: "/data/d1"}
	if c := CardOfDurability(&model.Durability{Target: target}); c.Target != target.Path {
		t.Errorf("finished: %q", c.Target)
	}
	dir := t.TempDir()
	line := `{"header":{"id":"the-id","labels":{"env":"prod"},"target":{"name":"../d1","kind":"directory","path":"/data/d1"}}}` + "\n"
	if err := WriteFile(dir, ledgerFile, []byte(line)); err != nil {
		t.Fatal(err)
	}
	if c, _ := ReadCard(os.DirFS(dir), "name"); c.Target != target.Path || c.Labels["env"] != "prod" {
		t.Errorf("cut: target %q, labels %v", c.Target, c.Labels)
	}
}

func TestADurabilityTestThatIsCutHasACard(t *testing.T) {
	dir := t.TempDir()
	line := `{"header":{"schema":"loadline.ledger/v1","id":"the-id","started":"2026-01-02T03:04:05Z","target":{"name":"/dev/x"}}}` + "\n"
	if err := WriteFile(dir, ledgerFile, []byte(line)); err != nil {
		t.Fatal(err)
	}
	c, damage := ReadCard(os.DirFS(dir), "name")
	if c.Kind != DurabilityCard || c.ID != "the-id" || c.Target != "/dev/x" || c.Status != model.Interrupted || c.Started.Year() != 2026 || len(damage) > 0 {
		t.Errorf("%+v, %v", c, damage)
	}
	if err := WriteFile(dir, ledgerFile, []byte("{")); err != nil {
		t.Fatal(err)
	}
	if _, damage := ReadCard(os.DirFS(dir), "name"); len(damage) != 1 {
		t.Errorf("a torn ledger: %v", damage)
	}
}

func TestAComparisonIsListedFromItsSidesUntilItsDocumentIsThere(t *testing.T) {
	dir := t.TempDir()
	for _, side := range []string{BaselineDir, CandidateDir} {
		w, err := Create(dir, time.Now, Start{Directory: side, Plan: model.Plan{Schema: model.PlanSchema,
			Volume: model.Volume{Target: model.Target{Name: "/" + side}}}, Run: model.Run{ID: side, Started: time.Now()}})
		if err != nil {
			t.Fatal(err)
		}
		if side == BaselineDir {
			defer w.Finish(model.Complete, "")
			continue
		}
		if err := w.Finish(model.Complete, ""); err != nil {
			t.Fatal(err)
		}
	}
	c, damage := ReadCard(os.DirFS(dir), "name")
	if c.Kind != ComparisonCard || c.Status != model.Running || c.Target != "/b" || c.Baseline != "/a" || len(damage) > 0 {
		t.Errorf("while it runs: %+v, %v", c, damage)
	}
	doc, err := json.Marshal(model.Comparison{Schema: model.ComparisonSchema, ID: "both",
		Rows: []model.Row{{Verdict: model.Better}, {Verdict: model.Same}, {Verdict: model.Same}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(dir, ComparisonFile, doc); err != nil {
		t.Fatal(err)
	}
	c, damage = ReadCard(os.DirFS(dir), "name")
	if diff := cmp.Diff(map[model.Change]int{model.Better: 1, model.Same: 2}, c.Changes); diff != "" || c.ID != "both" || len(damage) > 0 {
		t.Errorf("%s%+v, %v", diff, c, damage)
	}
}

func TestHolds(t *testing.T) {
	for name, x := range map[string]struct {
		dir  string
		make []string
		want bool
	}{
		"a name of ours, empty": {"20260102-030405-x", nil, true},
		"a plan":                {"mine", []string{planFile}, true},
		"both sides":            {"mine", []string{"a/", "b/"}, true},
		"one side":              {"mine", []string{"a/"}, false},
		"files a and b":         {"mine", []string{"a", "b"}, false},
		"something else":        {"photos", []string{"cat.jpg"}, false},
	} {
		dir := t.TempDir()
		for _, n := range x.make {
			path, folder := strings.CutSuffix(n, "/")
			path = filepath.Join(dir, path)
			var err error
			if folder {
				err = os.Mkdir(path, 0o700)
			} else {
				err = os.WriteFile(path, nil, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := IsRecognized(x.dir, entries); got != x.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func remove(dir string, names ...string) error {
	for _, n := range names {
		if err := os.Remove(filepath.Join(dir, n)); err != nil {
			return err
		}
	}
	return nil
}
