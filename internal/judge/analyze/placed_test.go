package analyze

import (
	"math"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// placedSide is a run of one load at a given rate, with its client at a given location.
func placedSide(w model.Workload, rate float64, roundTrip, connection float64, client string) Measured {
	rec := &model.Recorded{Environment: model.Environment{Cluster: &model.Cluster{Node: "node1"}}}
	if client != "" {
		rec.Environment.Cluster.Client = &model.Cluster{Node: client}
	}
	rec.Plan.Workloads = []model.Workload{w}
	rec.Run.Prepare = &model.Preparation{App: &model.AppState{Name: "postgres", RoundTrip: roundTrip, Connection: connection}}
	return Measured{rec, &model.Report{Results: []model.Result{{Workload: w.Name, Direction: w.Direction, App: &model.AppResult{Transactions: 1000},
		Metrics: map[model.Metric]model.Estimate{model.Transactions: {Value: rate}}}}}}
}

const notKnown = -1

func TestPlacedDifferently(t *testing.T) {
	tpcb := model.Workload{Name: "tpcb-c1", Direction: model.Write, Depth: 1, App: model.AppLoad{Tool: "pgbench", Threads: 1, Options: "--builtin=tpcb-like"}}
	connects := tpcb
	connects.App.Options, connects.App.Reconnect = "--builtin=select-only", true
	turns := connects
	turns.Depth = 10
	script := tpcb
	script.App.Options, script.App.Script = "", "SELECT 1;"
	options, mix := tpcb, tpcb
	options.App.Options, mix.App.Options = "--builtin=tpcb-like\n-Mprepared\n--random-seed=7\n-P1", "--builtin=tpcb-like\n-N"
	for name, x := range map[string]struct {
		w    model.Workload
		a, b Measured
		// share of the difference, 0 for no finding, and notKnown for one without a share.
		share float64
	}{
		// 2 ms against 4 ms, of which 7 × 0.2 ms are round trips.
		"round trips":         {tpcb, placedSide(tpcb, 500, 0.1e-3, 3e-3, ""), placedSide(tpcb, 250, 0.3e-3, 3e-3, "node2"), 0.7},
		"the other way":       {tpcb, placedSide(tpcb, 250, 0.3e-3, 3e-3, "node2"), placedSide(tpcb, 500, 0.1e-3, 3e-3, ""), 0.7},
		"storage":             {tpcb, placedSide(tpcb, 500, 0.1e-3, 3e-3, ""), placedSide(tpcb, 50, 0.3e-3, 3e-3, "node2"), 0},
		"faster all the same": {tpcb, placedSide(tpcb, 250, 0.1e-3, 3e-3, ""), placedSide(tpcb, 500, 0.3e-3, 3e-3, "node2"), 0},
		"placed alike":        {tpcb, placedSide(tpcb, 500, 0.10e-3, 3e-3, "node2"), placedSide(tpcb, 400, 0.14e-3, 3e-3, "node2"), 0},
		"two sockets":         {tpcb, placedSide(tpcb, 500, 0.02e-3, 3e-3, ""), placedSide(tpcb, 470, 0.05e-3, 3e-3, ""), 0},
		"another network":     {tpcb, placedSide(tpcb, 500, 0.1e-3, 3e-3, "node2"), placedSide(tpcb, 250, 0.3e-3, 3e-3, "node3"), 0.7},
		"more than it took":   {tpcb, placedSide(tpcb, 500, 0.1e-3, 3e-3, ""), placedSide(tpcb, 250, 2e-3, 3e-3, "node2"), 0},
		"no number":           {tpcb, placedSide(tpcb, 500, 1e308, 1, ""), placedSide(tpcb, 250, 1e308, 1, "node2"), 0},
		"below 0":             {tpcb, placedSide(tpcb, 500, -1, 1, ""), placedSide(tpcb, 250, -1, 1, "node2"), 0},
		"not measured":        {tpcb, placedSide(tpcb, 500, 0, 0, ""), placedSide(tpcb, 250, 0.3e-3, 3e-3, "node2"), notKnown},
		"a script":            {script, placedSide(script, 500, 0.1e-3, 3e-3, ""), placedSide(script, 250, 0.3e-3, 3e-3, "node2"), notKnown},
		"a script, alike":     {script, placedSide(script, 500, 0.1e-3, 3e-3, "node2"), placedSide(script, 250, 0.1e-3, 3e-3, "node2"), 0},
		"harmless options":    {options, placedSide(options, 500, 0.1e-3, 3e-3, ""), placedSide(options, 250, 0.3e-3, 3e-3, "node2"), 0.7},
		"a mix":               {mix, placedSide(mix, 500, 0.1e-3, 3e-3, ""), placedSide(mix, 250, 0.3e-3, 3e-3, "node2"), notKnown},
		// 5 ms against 12 ms: (7.2 − 3.1) of 7 ms.
		"connections": {connects, placedSide(connects, 200, 0.1e-3, 3e-3, ""), placedSide(connects, 1/12e-3, 0.2e-3, 7e-3, "node2"), 4.1 / 7},
		// Ten clients of one thread connect one after the other: 40.1 of 60 ms.
		"connections in turn": {turns, placedSide(turns, 200, 0.1e-3, 3e-3, ""), placedSide(turns, 10/110e-3, 0.2e-3, 7e-3, "node2"), 40.1 / 60},
	} {
		c := &model.Comparison{Rows: []model.Row{{Workload: x.w.Name, Verdict: model.Worse}}}
		list := checkPlaced(c, x.a, x.b)
		if x.share == 0 {
			if len(list) > 0 || c.Rows[0].Verdict != model.Worse {
				t.Errorf("%s: %+v, %s", name, list, c.Rows[0].Verdict)
			}
			continue
		}
		if x.share == notKnown {
			if len(list) != 1 || c.Rows[0].Verdict != model.Unclear || !strings.Contains(list[0].Message, "is not known") {
				t.Errorf("%s: %+v, %s", name, list, c.Rows[0].Verdict)
			}
			continue
		}
		if len(list) != 1 || c.Rows[0].Verdict != model.Unclear || math.Abs(list[0].Evidence["share"].(float64)-x.share) > 1e-9 || !strings.Contains(list[0].Message, "round trip") {
			t.Errorf("%s: %+v, %s", name, list, c.Rows[0].Verdict)
			continue
		}
		t.Log(list[0].Message)
	}
}
