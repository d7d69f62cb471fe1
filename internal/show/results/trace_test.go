package results

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/text"
)

// traceSample is n I/Os of 1 ms each.
func traceSample(end float64, op iotrace.Operation, size int64, who iotrace.Originator, n uint64) iotrace.Sample {
	s := iotrace.Sample{End: end, Seconds: 1, Device: "sda", Operation: op, Size: size, Originator: who, Wait: float64(n) * 1e-4,
		Flow: model.Flow{IOs: n, Bytes: n * uint64(size), LatencySum: float64(n) * 1e-3, Max: 1e-3}}
	s.Flow.Histogram.Add(histogram.BucketOf(1e6), n)
	return s
}

// saveTraceOf saves samples as a trace does.
func saveTraceOf(t *testing.T, run iotrace.Run, seconds ...[]iotrace.Sample) string {
	t.Helper()
	run.ID, run.Started, run.Status = "20261122-120000-sda-trace", time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), model.Running
	w, err := store.CreateTrace(t.TempDir(), "20261122-120000-sda-trace", time.Now, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range seconds {
		if err := w.Second(s); err != nil {
			t.Fatal(err)
		}
	}
	run.Status = model.Complete
	if err := w.Finish(run); err != nil {
		t.Fatal(err)
	}
	return w.Dir()
}

// Events without a record are reported, whatever the devices' own counters say.
func TestLostRecordsAreFound(t *testing.T) {
	for ios, want := range map[uint64]model.Severity{600: model.SeverityWarning, 60000: model.SeverityNote} {
		dir := saveTraceOf(t, iotrace.Run{Method: iotrace.ByPerf, Seconds: 1, LostRecords: 7, Devices: []iotrace.Device{{Name: "sda", Counters: &iotrace.Counters{Reads: ios}}}},
			[]iotrace.Sample{traceSample(1, iotrace.Read, 4096, iotrace.Originator{PID: 7}, 600)})
		done, err := Analyze(dir)
		if err != nil {
			t.Fatal(err)
		}
		if f := done.Trace.Findings; len(f) != 1 || f[0].Rule != "lost" || f[0].Severity != want || !strings.HasPrefix(f[0].Message, "7 events") {
			t.Errorf("of %d I/Os: %+v", ios, f)
		}
	}
}

func TestTraceIsReadAsItWasSaved(t *testing.T) {
	fio, db := iotrace.Originator{PID: 7, Command: "fio", Cgroup: "/a"}, iotrace.Originator{PID: 8, Command: "postgres", Cgroup: "/b"}
	half := .5
	dir := saveTraceOf(t, iotrace.Run{Method: iotrace.ByBPF, Seconds: 2, Devices: []iotrace.Device{
		{Name: "sda", Number: "8:0", Unseen: &half, Counters: &iotrace.Counters{Reads: 2200, Writes: 800, Flushes: 100, BusySeconds: 1},
			Operations: map[iotrace.Operation]iotrace.Counts{iotrace.Read: {Queued: 1100, Done: 1100, DoneBytes: 1100 * 4096}}, Overflowed: 3},
	}},
		[]iotrace.Sample{traceSample(1, iotrace.Read, 4096, fio, 600), traceSample(1, iotrace.Write, 8192, db, 400), traceSample(1, iotrace.Flush, 0, iotrace.Originator{}, 5)},
		[]iotrace.Sample{traceSample(2, iotrace.Read, 4096, fio, 500), traceSample(2, iotrace.Write, 4096, db, 1)})
	done, err := Analyze(dir)
	if err != nil || done.Trace == nil {
		t.Fatal(err)
	}
	r := done.Trace
	if len(r.Rows) != 3 || r.Rows[0].Originator != fio || r.Rows[0].IOs != 1100 || r.Rows[0].Mean < .99e-3 || r.Rows[0].P99 == nil || r.Rows[0].P999 != nil || r.Rows[0].Wait < .9e-4 {
		t.Errorf("%+v", r.Rows)
	}
	if last := r.Rows[2]; !last.Unowned || last.Operation != iotrace.Flush || last.IOs != 5 {
		t.Errorf("the unowned flushes: %+v", last)
	}
	if len(r.Kinds) != 3 || len(r.Kinds[1].Sizes) != 2 || r.Kinds[1].Sizes[1].IOs != 400 {
		t.Errorf("%+v", r.Kinds)
	}
	severities := map[string]model.Severity{}
	for _, f := range r.Findings {
		severities[f.Rule] = f.Severity
	}
	if severities["unseen"] != model.SeverityInvalid || severities["room"] != model.SeverityWarning {
		t.Errorf("%+v", r.Findings)
	}
	var out bytes.Buffer
	if err := text.RenderTrace(&out, r, text.TraceOptions{Options: text.Options{Width: 100, Unicode: true}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fio", "unowned flushes", "512 -> 1023", "Reads Queued:", "50 % unseen", "%util", "/a"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the text has no %q:\n%s", want, out.String())
		}
	}
	d, err := Read([]string{dir})
	if err != nil || len(d.Traces) != 1 || d.Traces[0].Rows[0].IOs != 1100 {
		t.Errorf("%+v, %v", d, err)
	}
	data, err := readDocument(dir, store.ReportFile)
	if err != nil {
		t.Fatal(err)
	}
	if doc, err := jsonout.Read(data); err != nil || doc.Trace == nil || doc.Trace.Rows[0].Histogram.Count() != 1100 {
		t.Errorf("%+v, %v", doc, err)
	}
}

// How much may be unseen depends on the device's own count, and a handful of I/Os does not matter.
func TestUnseenSeverities(t *testing.T) {
	for _, c := range []struct {
		method iotrace.Method
		share  float64
		total  uint64
		want   model.Severity
	}{
		{iotrace.ByBPF, 0, 1000, model.SeverityPassed}, {iotrace.ByBPF, .009, 1e6, model.SeverityPassed}, {iotrace.ByBPF, .02, 1e6, model.SeverityWarning},
		{iotrace.ByBPF, .06, 1e6, model.SeverityInvalid}, {iotrace.ByBPF, -.06, 1e6, model.SeverityInvalid}, {iotrace.ByBPF, .5, 30, model.SeverityPassed},
		{iotrace.ByCounters, 0, 1000, model.SeverityNotChecked},
	} {
		d := iotrace.Device{Name: "sda", Unseen: &c.share, Counters: &iotrace.Counters{Reads: c.total}}
		if got := traceFindings(&iotrace.Run{Method: c.method}, &d); len(got) != 1 || got[0].Severity != c.want {
			t.Errorf("%v of %d by %s: %+v, want %s", c.share, c.total, c.method, got, c.want)
		}
	}
}

// A running trace is neither read nor analyzed.
func TestARunningTraceIsLeftAlone(t *testing.T) {
	w, err := store.CreateTrace(t.TempDir(), "20261122-120000-sda-trace", time.Now, iotrace.Run{ID: "20261122-120000-sda-trace", Status: model.Running})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Analyze(w.Dir()); err == nil || !strings.Contains(err.Error(), "still in progress") {
		t.Errorf("%v", err)
	}
	if _, err := Read([]string{w.Dir()}); err == nil {
		t.Error("a running trace was read")
	}
	if err := w.Finish(iotrace.Run{Status: model.Complete}); err != nil {
		t.Fatal(err)
	}
	if _, err := Analyze(w.Dir()); err != nil {
		t.Error(err)
	}
}

// If there are very many operations on devices, the busiest are shown, in their usual order, and the
// others are counted.
func TestTheBusiestOperationsAreShown(t *testing.T) {
	var samples []iotrace.Sample
	for i := range mostTraceRows + 20 {
		s := traceSample(1, iotrace.Read, 4096, iotrace.Originator{PID: i + 1, Command: "db"}, uint64(100+i))
		s.Device = fmt.Sprintf("sd%03d", i)
		samples = append(samples, s)
	}
	r := mustRead(t, saveTraceOf(t, iotrace.Run{Method: iotrace.ByBPF, Seconds: 1}, samples))
	if len(r.Kinds) != mostTraceRows || r.Kinds[0].Device != "sd020" || r.Kinds[mostTraceRows-1].Device != fmt.Sprintf("sd%03d", mostTraceRows+19) {
		t.Fatalf("%d kinds, from %s to %s", len(r.Kinds), r.Kinds[0].Device, r.Kinds[len(r.Kinds)-1].Device)
	}
	if !slices.ContainsFunc(r.Findings, func(f model.Finding) bool { return f.Rule == "kinds" && strings.HasPrefix(f.Message, "20 more") }) {
		t.Errorf("%+v", r.Findings)
	}
}
