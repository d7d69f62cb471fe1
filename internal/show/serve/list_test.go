package serve

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

func day(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }

// three makes three runs that differ in every column by which a list can be sorted.
func three(s *site) {
	s.run("one", 300, func(o *store.Start) { o.Run.Started = day(1); o.Plan.Experiment.Note = "Before the Upgrade" })
	s.run("two", 100, func(o *store.Start) { o.Run.Started = day(3) })
	s.run("three", 200, func(o *store.Start) { o.Run.Started = day(2); o.Plan.Experiment.Note = "after" })
}

// TestTheListIsSearchedByLabels searches for a label by its name, by its exact value and by the
// beginning of its value, and, like all other text, by any part of it.
func TestTheListIsSearchedByLabels(t *testing.T) {
	s := newSite(t, nil)
	labelled := func(name string, at int, labels model.Labels) {
		s.run(name, 100, func(o *store.Start) { o.Run.Started = day(at); o.Run.Labels = labels })
	}
	labelled("one", 1, model.Labels{"env": "prod", "Rack": "B 2"})
	labelled("two", 2, model.Labels{"env": "production"})
	labelled("three", 3, nil)
	for query, want := range map[string][]string{
		"q=label:env":                {"two", "one"},
		"q=label:env%3Dprod":         {"one"},
		"q=label:env%3Dprod*":        {"two", "one"},
		"q=LABEL:ENV%3DPROD":         {"one"},
		"q=env%3Dprod":               {"two", "one"},
		"q=label:rack%3Db*":          {"one"},
		"q=label:env+label:rack":     {"one"},
		"q=label:none":               nil,
		"q=label:env%3D":             nil,
		"q=label:env%3Dprod+missing": nil,
	} {
		if _, paths := s.list(query); !cmp.Equal(want, paths) {
			t.Errorf("list?%s: %v, want %v", query, paths, want)
		}
	}
	if l, _ := s.list("q=label:rack"); l.Runs[0].Labels["Rack"] != "B 2" {
		t.Errorf("the row has the labels %v", l.Runs[0].Labels)
	}
}

func TestTheListIsSearchedSortedAndPaged(t *testing.T) {
	s := newSite(t, nil)
	three(s)
	for query, want := range map[string][]string{
		"":                          {"two", "three", "one"},
		"order=up":                  {"one", "three", "two"},
		"sort=target":               {"two", "three", "one"},
		"sort=target&order=up":      {"one", "three", "two"},
		"sort=note&order=up":        {"three", "one", "two"},
		"sort=note":                 {"one", "three", "two"},
		"sort=result&workload=w1":   {"one", "three", "two"},
		"sort=result&workload=none": {"two", "three", "one"},
		"q=upgrade+BEFORE":          {"one"},
		"q=upgrade+after":           nil,
		"q=w2":                      {"two", "three", "one"},
		"kind=run":                  {"two", "three", "one"},
		"kind=comparison":           nil,
		"limit=1&offset=1":          {"three"},
		"offset=99":                 nil,
		"sort=verdict":              {"two", "three", "one"},
	} {
		if _, paths := s.list(query); !cmp.Equal(want, paths) {
			t.Errorf("list?%s: %v, want %v", query, paths, want)
		}
	}
	l, _ := s.list("q=upgrade&workload=w2&limit=1")
	if l.Total != 3 || l.Matches != 1 || len(l.Runs[0].Results) != 1 || l.Runs[0].Results[0].Workload != "w2" || l.Runs[0].More != 1 {
		t.Errorf("%+v", l)
	}
	if diff := cmp.Diff([]headline{{"w1", model.Read, model.IOPS, 3}, {"w2", model.Read, model.IOPS, 3}}, l.Results); diff != "" {
		t.Error(diff)
	}
}

func TestAListThatCannotBeIsRefused(t *testing.T) {
	s := newSite(t, nil)
	for _, query := range []string{"sort=colour", "sort=result", "order=sideways", "limit=0", "limit=501", "offset=-1", "limit=x"} {
		if code, body, _ := s.get("/api/list?"+query, nil); code != http.StatusBadRequest || !strings.Contains(body, "error") {
			t.Errorf("list?%s: %d %s", query, code, body)
		}
	}
}

func TestEveryKindOfDirectoryIsListed(t *testing.T) {
	s := newSite(t, nil)
	s.run("whole", 100, nil)
	live := s.begin(s.folder, "live", nil)
	defer live.Finish(model.Complete, "")
	// A killed run: its file is closed without an end marker, and run.json still says running.
	killed := s.begin(s.folder, "killed", nil)
	s.measure(killed, 1, 3, 100)
	letGo(t, killed)
	pair := filepath.Join(s.folder, "grouped", "pair")
	for _, side := range []string{"a", "b"} {
		s.check(s.begin(pair, side, nil).Finish(model.Complete, ""))
	}
	s.check(os.MkdirAll(filepath.Join(s.folder, "cut"), 0o755))
	s.check(store.WriteFile(filepath.Join(s.folder, "cut"), "ledger.jsonl", []byte(`{"header":{"id":"cut","target":{"name":"/dev/x"}}}`+"\n")))
	s.check(os.MkdirAll(filepath.Join(s.folder, "20260102-030405-begun"), 0o755))
	s.check(os.MkdirAll(filepath.Join(s.folder, "torn"), 0o755))
	s.check(store.WriteFile(filepath.Join(s.folder, "torn"), "plan.json", []byte("{")))
	s.check(os.MkdirAll(filepath.Join(s.folder, "photos", "2026"), 0o755))
	s.check(os.MkdirAll(filepath.Join(s.folder, ".git", "x"), 0o755))
	s.check(os.MkdirAll(filepath.Join(s.folder, ".hidden"), 0o755))
	s.check(store.WriteFile(filepath.Join(s.folder, ".hidden"), "plan.json", []byte("{}")))

	l, _ := s.list("sort=target&order=up&limit=500")
	got := map[string]string{}
	for _, r := range l.Runs {
		got[r.Path] = fmt.Sprintf("%s %s %d", r.Kind, r.Status, len(r.Problems))
	}
	want := map[string]string{"whole": "run complete 0", "live": "run running 0", "killed": "run interrupted 0", "grouped/pair": "comparison complete 0",
		"cut": "durability interrupted 0", "20260102-030405-begun": "unknown  2", "torn": "unknown  2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheSystemsOfARankingAreRunsOfTheirOwn(t *testing.T) {
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return time.Now().Add(time.Hour) } })
	folder := filepath.Join(s.folder, "bake-off")
	for _, system := range []string{"first", "second"} {
		s.check(s.begin(folder, system, nil).Finish(model.Complete, ""))
	}
	r := &model.Report{Schema: model.ReportSchema, Ranking: &model.Ranking{
		Systems: []model.RankedSystem{{Name: "first"}, {Name: "second"}},
		Groups:  []model.RankGroup{{Entries: []model.RankEntry{{System: 1, First: 1, Last: 1}, {System: 0, First: 2, Last: 2}}}},
	}}
	var doc bytes.Buffer
	s.check(jsonout.Write(&doc, r))
	s.check(store.WriteFile(folder, store.ReportFile, doc.Bytes()))
	s.check(store.WriteRankedRuns(folder, []string{"first", "second"}))
	// Twice: the second walk has them cached.
	for range 2 {
		l, _ := s.list("sort=kind&order=up")
		var got []string
		for _, e := range l.Runs {
			got = append(got, e.Path+" "+string(e.Kind)+" "+e.Statement)
		}
		slices.Sort(got)
		want := []string{"bake-off ranking second comes first over all tests", "bake-off/first run ", "bake-off/second run "}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		s.server.library.renew(t.Context(), 0)
	}
	v, _ := s.view("bake-off")
	if len(v.Reports) != 1 || len(v.Remarks) != 0 {
		t.Errorf("a ranking alone: %d reports, %v", len(v.Reports), v.Remarks)
	}
	v, _ = s.view("bake-off", "bake-off/first", "bake-off/second")
	if len(v.Reports) != 2 || len(v.Remarks) != 1 {
		t.Errorf("a ranking beside others: %d reports, %v", len(v.Reports), v.Remarks)
	}
}

// letGo does what a kill does to a writer: it closes the file and releases the lock.
func letGo(t *testing.T, w *store.Writer) {
	t.Helper()
	path := filepath.Join(w.Dir(), "samples.jsonl.zst")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	run, err := os.ReadFile(filepath.Join(w.Dir(), "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteFile(w.Dir(), "samples.jsonl.zst", data); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteFile(w.Dir(), "run.json", run); err != nil {
		t.Fatal(err)
	}
}

// until polls until a condition is true.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func TestWhatChangesInTheFolderShows(t *testing.T) {
	// A clock that runs ahead makes every directory old enough for its card to be cached.
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return time.Now().Add(time.Hour) } })
	value := func() float64 {
		l, _ := s.list("")
		if len(l.Runs) == 0 || len(l.Runs[0].Results) == 0 {
			return 0
		}
		return l.Runs[0].Results[0].Value
	}
	dir := s.run("one", 100, nil)
	until(t, "a new run is listed", func() bool { return value() == 300 })
	s.check(os.RemoveAll(dir))
	until(t, "a removed run is gone", func() bool { l, _ := s.list(""); return l.Total == 0 })
	s.run("one", 200, nil)
	until(t, "another one of its name is listed", func() bool { return value() == 600 })
	s.saveCard(dir, store.Card{Kind: "run", Results: []store.CardResult{{Workload: "w1", Direction: model.Read, Metric: model.IOPS, Verdict: model.Valid,
		Estimate: model.Estimate{Unit: "1/s", Value: 7}}}}, size(t, dir))
	until(t, "a new card shows", func() bool { return value() == 7 })
}

func size(t *testing.T, dir string) int {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, store.ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size())
}

func TestASingleRunIsServedAlone(t *testing.T) {
	s := newSite(t, nil)
	s.run("one", 100, nil)
	s.run("two", 100, nil)
	only, err := New(Options{Folder: filepath.Join(s.folder, "one"), assemble: assembled, compare: compared, Now: time.Now})
	s.check(err)
	defer only.Close()
	if l := only.library.list(t.Context(), &query{sort: "started", limit: 9}); l.Total != 1 || l.Runs[0].Path != "one" {
		t.Errorf("%+v", l)
	}
	if _, err := only.library.open(t.Context(), "two"); err == nil {
		t.Error("its neighbour can be opened")
	}
}

// The list is titled by a folder that can be found again, whatever was typed.
func TestTheListNamesItsFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	l, err := openLibrary(".", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.place(); got != dir {
		t.Errorf("%q, want %q", got, dir)
	}
}

// A run whose folder has a name that no address can hold is left out, and the list says so.
func TestAFolderWithoutAProperNameIsCounted(t *testing.T) {
	s := newSite(t, nil)
	s.run("one", 1000, nil)
	s.check(os.Mkdir(filepath.Join(s.folder, "\xff\xfebad"), 0o755))
	l, _ := s.list("")
	if l.Total != 1 || len(l.Remarks) != 1 || !strings.Contains(l.Remarks[0], "1 folder left out: a name that is not UTF-8 text") {
		t.Errorf("%d runs, %q", l.Total, l.Remarks)
	}
}
