package analyze

import (
	"math"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestApplicationCosts(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	w := model.Workload{Name: "tpcb", Direction: model.Write, App: model.AppLoad{Tool: "pgbench"}}
	step := func(n int, failed string, c model.AppCounts, writes, flushes uint64) model.StepResult {
		return model.StepResult{Step: model.Step{Number: n, Workload: w.Name}, Error: failed, App: &c,
			Counters: &model.Counters{Device: "vda", DeviceWrites: writes, DeviceFlushes: flushes}}
	}
	rec := &model.Recorded{}
	rec.Run.Steps = []model.StepResult{
		step(1, "", model.AppCounts{Transactions: 100, Seconds: 10, LatencySum: 39, Flushes: v(50), FlushSeconds: v(5), Hits: v(900), Reads: v(100), LogBytes: v(1e5)}, 180, 50),
		step(2, "it failed", model.AppCounts{Transactions: 1e6, Seconds: 10, Flushes: v(0)}, 0, 0),
		step(3, "", model.AppCounts{Transactions: 300, Seconds: 10, LatencySum: 41, Flushes: v(150), FlushSeconds: v(7), Hits: v(2900), Reads: v(100)}, 620, 150),
		step(4, "", model.AppCounts{Transactions: 1e6, Seconds: 1}, 0, 0),
	}
	r := application(rec, w, map[int]bool{4: true})
	if r == nil || r.Transactions != 400 || r.UnderWay != 4 || r.LogBytes != nil {
		t.Fatalf("%+v", r)
	}
	for name, x := range map[string]struct {
		got  *float64
		want float64
	}{
		"flushes": {r.Flushes, 0.5}, "a flush": {r.FlushTime, 0.06}, "flushing": {r.Flushing, 0.6}, "reads": {r.Reads, 0.5}, "hits": {r.HitRate, 0.95},
		"device writes": {r.DeviceWrites, 1.5}, "device flushes": {r.DeviceFlushes, 0.5},
	} {
		if x.got == nil || math.Abs(*x.got-x.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, x.got, x.want)
		}
	}
	if application(rec, model.Workload{Name: "tpcb"}, nil) != nil {
		t.Error("a storage has transactions")
	}
}

func TestIODiffers(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	a := model.AppResult{Flushes: v(0.5), LogBytes: v(8000), Reads: v(0.1), DeviceReads: v(0.1)}
	for _, x := range []struct {
		name  string
		b     model.AppResult
		apart bool
		words string
	}{
		{"alike", model.AppResult{Flushes: v(0.55), LogBytes: v(9500), Reads: v(0.12), DeviceReads: v(0.15)}, true, ""},
		{"fewer pages", model.AppResult{Flushes: v(0.5), LogBytes: v(391), Reads: v(0.1)}, true, "log bytes"},
		{"nothing flushed", model.AppResult{Flushes: v(0)}, true, "flushes"},
		{"another cache", model.AppResult{DeviceReads: v(1.2)}, true, "device reads"},
		{"one disk", model.AppResult{DeviceReads: v(1.2)}, false, ""},
		{"not known", model.AppResult{}, true, ""},
	} {
		if got := ioDiffers(&a, &x.b, x.apart); (got == "") != (x.words == "") || !strings.Contains(got, x.words) {
			t.Errorf("%s: %q, want %q", x.name, got, x.words)
		}
	}
}
