package results

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/judge/explain"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/text"
)

// besideRun saves a run with a trace beside it, as --trace does.
func besideRun(t *testing.T, id string) string {
	t.Helper()
	run := savedRun(t, id, model.Target{Name: "/srv/a", Kind: model.Directory, Path: "/srv/a"}, model.Workload{Name: "read", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1},
		func(s *model.Sample) { s.Read = &model.Flow{IOs: 100, Bytes: 409600, LatencySum: 0.1, Max: 0.001} }, func(*model.StepResult) {})
	if err := os.Rename(twoUsers(t), filepath.Join(run, store.TraceDir)); err != nil {
		t.Fatal(err)
	}
	return run
}

// page is the page of runs.
func page(t *testing.T, dirs ...string) (html string, remarks string) {
	t.Helper()
	d, err := Read(dirs)
	if err != nil {
		t.Fatal(err)
	}
	f, err := format.Choose("html", "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := f.Write(&d.Documents, text.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return string(files[0].Data), strings.Join(d.Remarks, "\n")
}

// The page of a run includes the trace made beside it, even if its report was not saved; with two runs,
// each has its own.
func TestThePageOfARunHasTheTraceBesideIt(t *testing.T) {
	const begins = `"beside":[{"schema":"loadline.trace/v1"`
	run := besideRun(t, "a")
	if html, _ := page(t, run); !strings.Contains(html, begins) || !strings.Contains(html, `"operation":"write"`) {
		t.Error("the page has no trace")
	}
	rec, err := store.ReadTrace(filepath.Join(run, store.TraceDir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FinishTrace(rec); err != nil {
		t.Fatal(err)
	}
	if _, err := Analyze(run); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(filepath.Join(run, store.PageFile))
	if err != nil || !bytes.Contains(saved, []byte(begins)) {
		t.Errorf("the saved page has no trace: %v", err)
	}
	plain := besideRun(t, "b")
	if err := os.RemoveAll(filepath.Join(plain, store.TraceDir)); err != nil {
		t.Fatal(err)
	}
	if html, _ := page(t, plain); strings.Contains(html, `"beside":`) {
		t.Error("a run without a trace has one on its page")
	}
	if html, remarks := page(t, plain, run); !strings.Contains(html, `"beside":[null,{"schema":"loadline.trace/v1"`) || strings.Contains(remarks, "trace") {
		t.Errorf("two runs, one of them with a trace: %s", remarks)
	}
}

// A link in place of the trace is not followed, and is reported as unreadable.
func TestALinkIsNoTraceBesideARun(t *testing.T) {
	run, other := besideRun(t, "a"), besideRun(t, "b")
	if err := os.RemoveAll(filepath.Join(run, store.TraceDir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(other, store.TraceDir), filepath.Join(run, store.TraceDir)); err != nil {
		t.Fatal(err)
	}
	if html, remarks := page(t, run); strings.Contains(html, `"beside":`) || !strings.Contains(remarks, "the trace beside it cannot be read") {
		t.Error(remarks)
	}
}

// I/Os that a trace missed are in none of its figures, so a trace that missed many understates each
// operation: half of the I/Os, at unchanged latency.
func TestATraceThatMissedMuchExplainsNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		device iotrace.Device
		lacks  string
	}{
		{"a little unseen", iotrace.Device{Unseen: new(0.02), Counters: &iotrace.Counters{Reads: 18000, Writes: 1200}}, ""},
		{"a few of very few", iotrace.Device{Unseen: new(0.5), Counters: &iotrace.Counters{Reads: 10}}, ""},
		{"half unseen", iotrace.Device{Unseen: new(0.51), Counters: &iotrace.Counters{Reads: 18000, Writes: 1200}}, "of sda it lacks 51 % of the I/Os"},
		{"more than there were", iotrace.Device{Unseen: new(-0.51), Counters: &iotrace.Counters{Reads: 18000, Writes: 1200}}, "of sda it lacks 51 % of the I/Os"},
		{"seen, and without a row", iotrace.Device{Dropped: 4000, Operations: map[iotrace.Operation]iotrace.Counts{iotrace.Read: {Done: 18000}}}, "of sda it lacks 22 % of the I/Os"},
	} {
		run := savedRun(t, "a", model.Target{Name: "/srv/a", Kind: model.Directory, Path: "/srv/a"}, model.Workload{Name: "read", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1},
			func(s *model.Sample) { s.Read = &model.Flow{IOs: 100, Bytes: 409600, LatencySum: 0.1, Max: 0.001} }, func(*model.StepResult) {})
		var seconds [][]iotrace.Sample
		for i := range 60 {
			seconds = append(seconds, []iotrace.Sample{traceSample(float64(i+1), iotrace.Read, 4096, iotrace.Originator{PID: 7, Command: "fio"}, 100)})
		}
		c.device.Name, c.device.Number = "sda", "8:0"
		saved := saveTraceOf(t, iotrace.Run{Method: iotrace.ByPerf, Seconds: 60, Devices: []iotrace.Device{c.device}}, seconds...)
		if err := os.Rename(saved, filepath.Join(run, store.TraceDir)); err != nil {
			t.Fatal(err)
		}
		var ev explain.Evidence
		err := addTrace(&ev, run)
		if used := len(ev.Trace) > 0; used != (c.lacks == "") || (err == nil) != used || err != nil && !strings.Contains(err.Error(), c.lacks) {
			t.Errorf("%s: used %v; %v", c.name, used, err)
		}
	}
}
