package analyze_test

import (
	"testing"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
)

// waiting is one side of a comparison whose I/Os all take that many seconds.
func waiting(side model.Side, latency float64) *model.Recorded {
	rec := sideOf(side, reader("a"), 1000, 1001, 999, 1000, 1002)
	for i := range rec.Samples {
		rec.Samples[i].Read = flowOf(1000, latency)
		rec.Samples[i].Read.Max = latency
	}
	return rec
}

func TestAPercentileInTheLastBucketHasNoUpperEnd(t *testing.T) {
	rec := waiting("", 21)
	results := analyze.Results(rec)
	e := results[0].Metrics[model.P50]
	if !e.Open || !model.P50.Beyond(e.Value) || e.High < 21 || model.P50.Format(e.Value) != "≥ 17.0 s" || model.P50.FormatWidth(model.Read, e)[:len("≥ 16.")] != "≥ 16." {
		t.Errorf("the p50 of waits of 21 s is %+v, %s", e, model.P50.Format(e.Value))
	}
	if mean := results[0].Metrics[model.Latency]; mean.Open || model.Latency.Format(mean.Value) != "21.0 s" {
		t.Errorf("their mean is %+v", mean)
	}
	for _, c := range []struct {
		above bool
		bound float64
		want  model.Outcome
	}{{false, 18, model.Undecided}, {false, 60, model.Undecided}, {false, 10, model.Missed}, {true, 10, model.Met}, {true, 18, model.Undecided}, {true, 60, model.Undecided}} {
		goal := model.Goal{Workload: "a", Direction: model.Read, Metric: model.P50, Above: c.above, Bound: c.bound}
		if got := analyze.Decide(rec, results, []model.Goal{goal})[0]; got.Outcome != c.want {
			t.Errorf("%+v is %s: %s", goal, got.Outcome, got.Message)
		}
	}
}

func TestPercentilesInTheLastBucketAreNotTheSame(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want model.Change
	}{{21, 21, model.Unclear}, {21, 300, model.Unclear}, {1, 21, model.Worse}, {21, 1, model.Better}, {1, 1, model.Same}, {16.9, 17.1, model.Unclear}} {
		if got := row(t, compare(waiting("A", c.a), waiting("B", c.b)), model.P99); got.Verdict != c.want || got.Needed != 0 {
			t.Errorf("waits of %v s against %v s: %+v", c.b, c.a, got)
		}
	}
}
