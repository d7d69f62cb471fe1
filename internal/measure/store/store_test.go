package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// opaque lets cmp compare histograms.
var opaque = cmp.Comparer(func(a, b histogram.Histogram) bool {
	x, _ := a.MarshalJSON()
	y, _ := b.MarshalJSON()
	return bytes.Equal(x, y)
})

func begin(t *testing.T, parent string) *Writer {
	t.Helper()
	w, err := Create(parent, time.Now, Start{
		Experiment: []byte("target: /x\n"),
		Plan:       model.Plan{Schema: model.PlanSchema, Workloads: []model.Workload{{Name: "a", Direction: model.Read}}},
		Run:        model.Run{ID: "20260102-030405-x", Started: time.Unix(1e9, 0).UTC(), Tools: map[string]string{"fio": "3.33"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// second returns a sample that differs from its neighbours, so that compression cannot hide a
// truncated end.
func second(i int) model.Sample {
	f := &model.Flow{IOs: uint64(1000 + i), Bytes: uint64(4096 * i), LatencySum: float64(i) / 7}
	for k := range 40 {
		f.Histogram.Add(uint16(300+k*7+i%5), uint64(1+(i*31+k*17)%97))
	}
	return model.Sample{Step: 1 + i/3, End: float64(i), Seconds: 1, Read: f}
}

func record(t *testing.T, w *Writer, seconds int) []model.Sample {
	t.Helper()
	var all []model.Sample
	for i := range seconds {
		s := second(i)
		all = append(all, s)
		if err := w.Sample(s); err != nil {
			t.Fatal(err)
		}
		if i%3 == 2 {
			step := model.Step{Number: 1 + i/3, Workload: "a"}
			if err := w.Raw(model.Raw{Name: fmt.Sprintf("%04d-a.fio", step.Number), Data: []byte("[a]\n")}); err != nil {
				t.Fatal(err)
			}
			if err := w.Step(model.StepResult{Step: step, Raw: fmt.Sprintf("%04d-a.json", step.Number)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

func TestARunIsReadBackAsItWasWritten(t *testing.T) {
	parent := t.TempDir()
	w := begin(t, parent)
	if err := w.Prepared(model.Preparation{Written: 42}); err != nil {
		t.Fatal(err)
	}
	if err := w.Clock(time.Unix(1e9+3, 0).UTC()); err != nil {
		t.Fatal(err)
	}
	want := record(t, w, 90)
	if !Running(w.Dir()) {
		t.Error("a run that is being written does not count as running")
	}
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	if Running(w.Dir()) {
		t.Error("a finished run counts as running")
	}
	rec, err := Read(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, rec.Samples, opaque); d != "" {
		t.Errorf("samples differ:\n%s", d)
	}
	if rec.Run.Status != model.Complete || rec.Run.Prepare.Written != 42 || rec.Run.Clock.Unix() != 1e9+3 || len(rec.Run.Steps) != 30 || rec.Jobs["a"] != "[a]\n" || len(rec.Damage) > 0 {
		t.Errorf("read back: %+v, jobs %v, damage %v", rec.Run, rec.Jobs, rec.Damage)
	}
}

// A crash may leave any prefix of the samples on disk.
func TestEveryPrefixOfTheSamplesIsReadable(t *testing.T) {
	w := begin(t, t.TempDir())
	want := record(t, w, 30)
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.Dir(), samplesFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for n := 0; n <= len(whole); n += 97 {
		if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		rec, err := Read(w.Dir())
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		got := len(rec.Samples)
		if got < last {
			t.Errorf("%d bytes give %d samples, fewer than a shorter prefix (%d)", n, got, last)
		}
		last = got
		if d := cmp.Diff(want[:got], rec.Samples, opaque); got > 0 && d != "" {
			t.Fatalf("%d bytes: samples differ:\n%s", n, d)
		}
	}
	if last < 27 {
		t.Errorf("nearly all bytes gave only %d of 30 samples", last)
	}
}

func TestAKilledRunIsReadAsInterrupted(t *testing.T) {
	w := begin(t, t.TempDir())
	record(t, w, 9)
	// As after a kill: the file is not closed properly, and run.json still says running.
	if err := w.file.Close(); err != nil {
		t.Fatal(err)
	}
	rec, err := Read(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if rec.Run.Status != model.Interrupted || rec.Run.Reason == "" || len(rec.Samples) != 9 {
		t.Errorf("status %q (%s), %d samples; want interrupted with a reason and 9", rec.Run.Status, rec.Run.Reason, len(rec.Samples))
	}
}

func TestTakenNamesGetANumber(t *testing.T) {
	parent := t.TempDir()
	a, b := begin(t, parent), begin(t, parent)
	for _, w := range []*Writer{a, b} {
		if rec, err := Read(w.Dir()); err != nil || rec.Run.ID != filepath.Base(w.Dir()) {
			t.Errorf("%s has the ID %q: %v", w.Dir(), rec.Run.ID, err)
		}
	}
	if a.Dir()+"-2" != b.Dir() {
		t.Errorf("two runs of the same second: %s and %s", a.Dir(), b.Dir())
	}
}

func TestReadRefusesWhatIsNoRun(t *testing.T) {
	var we *model.WorkerError
	if _, err := Read(t.TempDir()); !errors.As(err, &we) || we.Class != model.Refused || we.Hint == "" {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestName(t *testing.T) {
	at := time.Date(2026, 11, 20, 23, 52, 0, 0, time.UTC)
	for target, want := range map[string]string{
		"/var/lib/data":                "20261120-235200-var-lib-data",
		".":                            "20261120-235200",
		"nbd+unix:///v?socket=/s":      "20261120-235200-nbd-unix-v-socket-s",
		"/" + string(make([]byte, 99)): "20261120-235200",
	} {
		if got := Name(at, target); got != want {
			t.Errorf("Name(%q) = %q, want %q", target, got, want)
		}
	}
}

func TestLargeRawOutputIsCompressed(t *testing.T) {
	w := begin(t, t.TempDir())
	if err := w.Raw(model.Raw{Name: "../0001-a.json", Data: bytes.Repeat([]byte("{}"), 10000)}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(w.Dir(), rawDir, "0001-a.json.zst"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 1000 {
		t.Errorf("20 kB of the same became %d bytes", info.Size())
	}
}

func TestDurabilityTestsArePartOfTheRun(t *testing.T) {
	w := begin(t, t.TempDir())
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"durability": `{"result":"lost-writes"}`, "durability-2": `{"result":"clean"}`, "durability-3": "{"} {
		if err := os.Mkdir(filepath.Join(w.Dir(), name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(w.Dir(), name+"/report.json", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := Read(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	var results []model.DurabilityResult
	for _, d := range rec.Durability {
		results = append(results, d.Result)
	}
	if diff := cmp.Diff([]model.DurabilityResult{model.DurabilityLostWrites, model.DurabilityClean}, results); diff != "" || len(rec.Damage) != 1 {
		t.Errorf("%s\ndamage: %v", diff, rec.Damage)
	}
}

// If the folder itself is removed, there is no room to make in it.
// A folder that is moved during the run takes what was measured with it. It is read back all the same, and what is in
// its place is left alone.
func TestAFolderThatIsMovedDuringTheRun(t *testing.T) {
	w := begin(t, t.TempDir())
	moved := filepath.Join(t.TempDir(), "moved")
	if err := errors.Join(os.Rename(w.Dir(), moved), os.Mkdir(w.Dir(), 0o700), w.Finish(model.Complete, "")); err != nil {
		t.Fatal(err)
	}
	if rec, err := w.Recorded(); err != nil || rec.Run.Status != model.Complete || rec.Directory != w.Dir() {
		t.Errorf("%+v, %v", rec, err)
	}
	if rec, err := Read(moved); err != nil || rec.Run.Status != model.Complete {
		t.Errorf("%+v, %v", rec, err)
	}
	if got := names(t, w.Dir()); len(got) > 0 {
		t.Errorf("%q was written to another folder", got)
	}
}

func TestAFolderThatIsRemovedDuringTheRun(t *testing.T) {
	w := begin(t, t.TempDir())
	if err := os.RemoveAll(w.Dir()); err != nil {
		t.Fatal(err)
	}
	err := w.Beside(model.Beside{Idle: &model.Counters{Seconds: 1, Idle: 1}})
	if err == nil || !strings.Contains(err.Error(), w.Dir()+" was removed during the run") || strings.Contains(err.Error(), ".tmp-") {
		t.Errorf("%v", err)
	}
}

// Files that are removed during the run are named. Something was measured, so that is no refusal.
func TestFilesThatAreRemovedDuringTheRun(t *testing.T) {
	for want, names := range map[string][]string{
		"plan.json and samples.jsonl.zst of DIR were removed during the run": {planFile, samplesFile},
		"plan.json of DIR was removed during the run":                        {planFile},
		"DIR was removed during the run":                                     nil,
	} {
		w := begin(t, t.TempDir())
		record(t, w, 3)
		for _, name := range names {
			if err := os.Remove(filepath.Join(w.Dir(), name)); err != nil {
				t.Fatal(err)
			}
		}
		if len(names) == 0 {
			if err := os.RemoveAll(w.Dir()); err != nil {
				t.Fatal(err)
			}
		}
		_ = w.Finish(model.Complete, "") // what it cannot save is not the matter here
		_, err := w.Recorded()
		var e *model.WorkerError
		want = "the results cannot be shown: " + strings.ReplaceAll(want, "DIR", w.Dir())
		if !errors.As(err, &e) || e.Class != model.Broken || e.Message != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
