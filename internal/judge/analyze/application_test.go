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
		if got := strings.Join(ioDiffers(&a, &x.b, x.apart).words, ", "); (got == "") != (x.words == "") || !strings.Contains(got, x.words) {
			t.Errorf("%s: %q, want %q", x.name, got, x.words)
		}
	}
}

// A side that is slower although its transactions do less I/O is slower: with a slow flush, more transactions share one.
func TestLessIOExplainsNoSlowness(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	w := model.Workload{Name: "tpcb-c16", Direction: model.Write, Depth: 16}
	side := func(rate, flushes, log float64) Measured {
		return Measured{&model.Recorded{Plan: model.Plan{Workloads: []model.Workload{w}}}, &model.Report{Results: []model.Result{{Workload: w.Name, Direction: w.Direction,
			Metrics: map[model.Metric]model.Estimate{model.Transactions: {Value: rate}}, App: &model.AppResult{Transactions: 1000, Flushes: v(flushes), LogBytes: v(log)}}}}}
	}
	for name, x := range map[string]struct {
		a, b Measured
		is   model.Change
		want model.Change
		note model.Severity
	}{
		"fewer flushes where they are slow": {side(2500, 0.47, 5600), side(400, 0.13, 5600), model.Worse, model.Worse, model.SeverityNote},
		"the other way round":               {side(400, 0.13, 5600), side(2500, 0.47, 5600), model.Better, model.Better, model.SeverityNote},
		"a little more log":                 {side(2500, 0.47, 5600), side(400, 0.13, 8000), model.Worse, model.Worse, model.SeverityNote},
		"so much more log":                  {side(1000, 0.47, 391), side(400, 0.47, 9258), model.Worse, model.Unclear, model.SeverityWarning},
		"more log on the faster side":       {side(1000, 0.47, 9258), side(400, 0.47, 391), model.Worse, model.Worse, model.SeverityNote},
		"as fast with more log":             {side(1000, 0.47, 391), side(1000, 0.47, 9258), model.Same, model.Unclear, model.SeverityWarning},
		"nothing is decided":                {side(1000, 0.47, 5600), side(900, 0.13, 5600), model.Unclear, model.Unclear, model.SeverityWarning},
	} {
		c := &model.Comparison{Rows: []model.Row{{Workload: w.Name, Direction: w.Direction, Metric: model.Transactions, Verdict: x.is, Needed: 9}}}
		list := checkTransactions(c, x.a, x.b)
		if len(list) != 1 || list[0].Severity != x.note || c.Rows[0].Verdict != x.want {
			t.Errorf("%s: %s, %+v", name, c.Rows[0].Verdict, list)
		}
	}
}

// Rows whose transactions did other I/O on one side get no verdict, and what a server did on one side
// only is told.
func TestUnlikeTransactionsGetNoVerdict(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	side := func(log, checkpoints, vacuums float64) Measured {
		return Measured{&model.Recorded{}, &model.Report{Results: []model.Result{{Workload: "tpcb-c1", Direction: model.Write,
			App: &model.AppResult{Transactions: 1000, Flushes: v(1), LogBytes: v(log), Checkpoints: v(checkpoints), Vacuums: v(vacuums)}}}}}
	}
	for _, x := range []struct {
		name    string
		a, b    Measured
		verdict model.Change
		rule    string
		says    string
	}{
		{"alike", side(9000, 0, 1), side(9500, 0, 2), model.Worse, "", ""},
		{"whole pages on one side", side(391, 0, 0), side(9258, 0, 0), model.Unclear, "different-transactions", "log bytes 391 against 9.26k"},
		{"a checkpoint on one side", side(9000, 0, 0), side(9000, 2, 0), model.Worse, "one-sided", "checkpoints ran while it was measured on B only (2 times)"},
		{"a vacuum on one side", side(9000, 0, 1), side(9000, 0, 0), model.Worse, "one-sided", "autovacuum ran while it was measured on A only (1 times)"},
	} {
		c := &model.Comparison{Rows: []model.Row{
			{Workload: "tpcb-c1", Direction: model.Write, Metric: model.Transactions, Verdict: model.Worse},
			{Workload: "another", Direction: model.Write, Metric: model.Transactions, Verdict: model.Worse}}}
		list := checkTransactions(c, x.a, x.b)
		if c.Rows[0].Verdict != x.verdict || c.Rows[1].Verdict != model.Worse {
			t.Errorf("%s: %s and %s", x.name, c.Rows[0].Verdict, c.Rows[1].Verdict)
		}
		if x.rule == "" && len(list) == 0 {
			continue
		}
		if len(list) != 1 || list[0].Rule != x.rule || !strings.Contains(list[0].Message, x.says) {
			t.Errorf("%s: %+v", x.name, list)
		}
	}
}

// Latencies are not compared where a side skipped more transactions than leave them known.
func TestSkippedTransactionsAreNotCompared(t *testing.T) {
	side := func(skipped uint64) Measured {
		return Measured{&model.Recorded{}, &model.Report{Results: []model.Result{{Workload: "w", Direction: model.Write, App: &model.AppResult{Transactions: 1000 - skipped, Skipped: skipped}}}}}
	}
	for _, x := range []struct {
		a, b              uint64
		mean, median, p99 model.Change
	}{
		{0, 0, model.Same, model.Same, model.Same},
		{0, 5, model.Unclear, model.Same, model.Same}, // half a percent: the p99 is below them
		{50, 5, model.Unclear, model.Same, model.Unclear},
		{0, 600, model.Unclear, model.Unclear, model.Unclear},
	} {
		c := &model.Comparison{}
		for _, m := range []model.Metric{model.Latency, model.P50, model.P99, model.Transactions} {
			c.Rows = append(c.Rows, model.Row{Workload: "w", Direction: model.Write, Metric: m, Verdict: model.Same})
		}
		list := checkSkipped(c, side(x.a), side(x.b))
		got := [4]model.Change{c.Rows[0].Verdict, c.Rows[1].Verdict, c.Rows[2].Verdict, c.Rows[3].Verdict}
		if want := [4]model.Change{x.mean, x.median, x.p99, model.Same}; got != want || (len(list) == 1) != (x.mean == model.Unclear) {
			t.Errorf("%d and %d of 1,000: %v, want %v; %+v", x.a, x.b, got, want, list)
		}
	}
}
