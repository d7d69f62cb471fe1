package results

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
)

func TestEtcdAnswer(t *testing.T) {
	w := model.Workload{Name: "wal", Direction: model.Write, Sync: "fdatasync", Append: true}
	results := []model.Result{
		{Workload: "wal", Direction: model.Write, Metrics: map[model.Metric]model.Estimate{model.IOPS: {Value: 321}}},
		{Workload: "wal", Direction: model.Sync, Metrics: map[model.Metric]model.Estimate{model.IOPS: {Value: 99999}}},
	}
	goal := model.Goal{Workload: "wal", Direction: model.Sync, Metric: model.P99, Bound: apps.EtcdFlush}
	for outcome, want := range map[model.Outcome]string{
		model.Met:       "this disk is fast enough for etcd, which asks for a p99 of its log's flushes under 10.0 ms; a single client gets at most about 321 puts/s",
		model.Missed:    "this disk is too slow for etcd",
		model.Undecided: "",
	} {
		goal.Outcome = outcome
		if got := etcdAnswer(w, goal, results, nil); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q", outcome, got)
		}
	}
	for name, other := range map[string]func(*model.Workload, *model.Goal){
		"another bound": func(_ *model.Workload, g *model.Goal) { g.Bound = 0.02 },
		"no log":        func(w *model.Workload, _ *model.Goal) { w.Append = false },
		"its writes":    func(_ *model.Workload, g *model.Goal) { g.Direction = model.Write },
		"the median":    func(_ *model.Workload, g *model.Goal) { g.Metric = model.P50 },
	} {
		w, g := w, goal
		g.Outcome = model.Met
		other(&w, &g)
		if got := etcdAnswer(w, g, results, nil); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// flushed is a run of etcd whose repeats had the given number of flushes of 1,000 within 8 ms, and all
// within 16 ms.
func flushed(within8 ...float64) *model.Recorded {
	rec := &model.Recorded{}
	n := 1000.0
	for i, count := range within8 {
		rec.Run.Steps = append(rec.Run.Steps, model.StepResult{Step: model.Step{Number: i + 1, Workload: "put-c1"}, App: &model.AppCounts{
			Flushes: &n, FlushTimes: [][2]float64{{.004, 0}, {.008, count}, {.016, 990}}}})
	}
	return rec
}

func TestFlushesOfAnApplicationAreDecidedBetweenTheirBounds(t *testing.T) {
	w := model.Workload{Name: "put-c1", Direction: model.Write, App: model.AppLoad{Tool: "etcd"}}
	goal := model.Goal{Workload: "put-c1", Direction: model.Sync, Metric: model.P99, Bound: apps.EtcdFlush}
	for name, c := range map[string]struct {
		rec   *model.Recorded
		bound float64
		want  model.Outcome
		says  string
	}{
		"under":           {flushed(990, 1000), .010, model.Met, "between 4.00 ms and 8.00 ms in 2 repeats"},
		"over":            {flushed(0, 0), .007, model.Missed, "between 8.00 ms and 16.0 ms"},
		"between":         {flushed(900, 900), .010, model.Undecided, "the bound lies in between"},
		"not always":      {flushed(990, 900), .010, model.Undecided, "between 4.00 ms and 16.0 ms"},
		"nothing counted": {&model.Recorded{}, .010, model.Undecided, "were not counted"},
	} {
		g := goal
		g.Bound = c.bound
		if got := decideFlushes(c.rec, w, g); got.Outcome != c.want || !strings.Contains(got.Message, c.says) {
			t.Errorf("%s: %s, %q", name, got.Outcome, got.Message)
		}
	}
	// A disk that is slow throughout does few flushes: those of all repeats together, or those that were longer, decide.
	some := func(flushes, within8, within16 float64, repeats int) *model.Recorded {
		rec := &model.Recorded{}
		for range repeats {
			n := flushes
			rec.Run.Steps = append(rec.Run.Steps, model.StepResult{Step: model.Step{Workload: w.Name}, App: &model.AppCounts{Flushes: &n, FlushTimes: [][2]float64{{.008, within8}, {.016, within16}}}})
		}
		return rec
	}
	for name, c := range map[string]struct {
		rec  *model.Recorded
		want model.Outcome
		says string
	}{
		"together":        {some(400, 400, 400, 3), model.Met, "all repeats together"},
		"together slow":   {some(400, 0, 0, 3), model.Missed, "16.0 ms and more in all repeats together"},
		"few, all longer": {some(200, 0, 0, 2), model.Missed, "400 of 400 flushes took longer than 16.0 ms"},
		"few, some":       {some(200, 180, 194, 2), model.Missed, "12 of 400 flushes took longer than 16.0 ms"},
		"few, a handful":  {some(200, 180, 197, 2), model.Undecided, "too few of them"},
		"in between":      {some(200, 0, 200, 2), model.Undecided, "too few of them"},
		"a dozen":         {some(9, 0, 0, 1), model.Undecided, "too few of them"},
	} {
		got := decideFlushes(c.rec, w, goal)
		if got.Outcome != c.want || !strings.Contains(got.Message, c.says) || (got.Next == "") != (c.want != model.Undecided) {
			t.Errorf("%s: %s, %q, next %q", name, got.Outcome, got.Message, got.Next)
		}
	}
	few := flushed(990)
	*few.Run.Steps[0].App.Flushes = 900
	if got := decideFlushes(few, w, goal); got.Outcome != model.Undecided {
		t.Errorf("900 flushes decide a p99: %+v", got)
	}
	goal.Outcome = model.Met
	results := []model.Result{{Workload: "put-c1", Direction: model.Write, Metrics: map[model.Metric]model.Estimate{model.Transactions: {Value: 812}}}}
	w.Depth = 1
	if got := etcdAnswer(w, goal, results, nil); !strings.Contains(got, "this disk is fast enough for etcd") || !strings.Contains(got, "with one client about 812 puts/s") {
		t.Error(got)
	}
}
