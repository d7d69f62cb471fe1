package text

import (
	"io"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/prediction"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// predicted is a prediction with everything that one can contain.
func predicted() *prediction.Prediction {
	busy, full, processor := 0.21, 0.97, 0.6e-3
	estimate := func(unit string, v float64) model.Estimate {
		return model.Estimate{Unit: unit, Value: v, Low: 0.85 * v, High: 1.16 * v, Confidence: 0.95}
	}
	time := func(name string, bytes int64, v float64) prediction.Time {
		return prediction.Time{Workload: name, Bytes: bytes, Estimate: estimate("s", v)}
	}
	return &prediction.Prediction{Schema: prediction.Schema, Application: "postgres", Load: "pgbench TPC-B-like", Scale: 64, ModelError: 0.15,
		From:    prediction.Run{ID: "one", Target: "/new", Workloads: []string{"wal-8k", "wal-64k", "page-read"}},
		Like:    prediction.Run{ID: "two", Target: "/old", Workloads: []string{"tpcb-c1", "tpcb-c16"}, Processors: 2},
		Flushes: []prediction.Flush{{Time: time("wal-8k", 8<<10, 2.1e-3)}, {Time: time("wal-64k", 64<<10, 2.4e-3)}},
		Read:    &prediction.Reading{Time: time("page-read", 8<<10, 0.4e-3), Concurrency: 12},
		Other:   estimate("s", 0.3e-3),
		Costs:   []prediction.Costs{{Workload: "tpcb-c1", Clients: 1, Processor: &processor, LogBytes: 9258, Reads: 0.05}, {Workload: "tpcb-c16", Clients: 16, LogBytes: 5570}},
		Points: []prediction.Point{
			{Clients: 1, Rate: estimate("1/s", 330), Latency: estimate("s", 3.03e-3), Limit: prediction.ByFlushes, Flushes: 1, Flushing: 0.7, Busy: &busy},
			{Clients: 64, Rate: estimate("1/s", 3210), Latency: estimate("s", 19.9e-3), Limit: prediction.ByProcessors, Flushes: 0.12, Flushing: 0.8, Busy: &full},
			{Clients: 1000, Rate: estimate("1/s", 4000), Latency: estimate("s", 0.25), Limit: prediction.ByRows, Flushes: 0.1, Flushing: 1},
		},
		Assumes: []string{"its processors are like those of /old, 2 processors", "nobody else uses it"},
		Verdict: model.Invalid, Findings: []model.Finding{{Rule: "memory", Severity: model.SeverityInvalid, Message: "this is memory"}, {Rule: "stall", Severity: model.SeverityWarning, Message: "it stood still"}}}
}

func TestPredictionIsATable(t *testing.T) {
	reporttest.Golden(t, "predict-100.golden", reporttest.Written(t, func(w io.Writer) error {
		return RenderPrediction(w, predicted(), Options{Width: 100, Unicode: true})
	}))
	reporttest.Golden(t, "predict-ascii-60.golden", reporttest.Written(t, func(w io.Writer) error {
		return RenderPrediction(w, predicted(), Options{Width: 60})
	}))
}

// Every limit has its words.
func TestLimitsHaveWords(t *testing.T) {
	for _, l := range prediction.Limits {
		if limitWords[l] == "" {
			t.Errorf("%s has none", l)
		}
	}
}

// Text from a run is displayed, never interpreted.
func TestPredictionOfAHostileRun(t *testing.T) {
	x := predicted()
	const evil = "\x1b[2J\x07evil"
	x.Application, x.Load, x.From.Target, x.From.ID, x.From.Workloads[0], x.Like.Target, x.Assumes[0] = evil, evil, evil, evil, evil, evil, evil
	x.Costs[0].Workload, x.Findings[0].Rule, x.Findings[1].Message, x.Points[0].Limit = evil, evil, evil, evil
	out := string(reporttest.Written(t, func(w io.Writer) error {
		return RenderPrediction(w, x, Options{Width: 200, Unicode: true})
	}))
	if strings.ContainsAny(out, "\x1b\x07") || !strings.Contains(out, "evil") {
		t.Errorf("%q", out)
	}
}
