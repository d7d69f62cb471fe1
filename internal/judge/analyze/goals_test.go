package analyze_test

import (
	"testing"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

func TestGoalsAreDecidedOnTheInterval(t *testing.T) {
	rec := sideOf("", reader("a"), 1000, 1020, 980)
	results := analyze.Results(rec)
	e := results[0].Estimate
	goal := func(m model.Metric, above bool, bound float64) model.Goal {
		return model.Goal{Workload: "a", Direction: model.Read, Metric: m, Above: above, Bound: bound}
	}
	for _, c := range []struct {
		goal model.Goal
		want model.Outcome
	}{
		{goal(model.IOPS, true, e.Low-1), model.Met},
		{goal(model.IOPS, true, e.Low+1), model.Undecided},
		{goal(model.IOPS, true, e.High-1), model.Undecided},
		{goal(model.IOPS, true, e.High+1), model.Missed},
		{goal(model.IOPS, false, e.High+1), model.Met},
		{goal(model.IOPS, false, e.Low-1), model.Missed},
		{goal(model.P50, false, 1), model.Met},
		{goal(model.P9999, false, 1), model.Undecided}, // too few I/Os
		{goal(model.P9999, false, 1e-6), model.Missed}, // but half of them take longer
		{goal(model.P9999, true, 1e-6), model.Undecided},
		{model.Goal{Workload: "b", Direction: model.Read, Metric: model.IOPS}, model.Undecided},
	} {
		got := analyze.Decide(rec, results, []model.Goal{c.goal})[0]
		if got.Outcome != c.want || got.Message == "" {
			t.Errorf("%+v: %s, %s; want %s", c.goal, got.Outcome, got.Message, c.want)
		}
		if settles := got.Outcome == model.Undecided && c.goal.Workload == "a"; (got.Needs.Known || got.Needs.Never) != settles {
			t.Errorf("%+v is %s: it needs %+v", c.goal, got.Outcome, got.Needs)
		}
	}
	// An interval is written as in the tables.
	if got := analyze.Decide(rec, results, []model.Goal{goal(model.IOPS, true, 1)})[0].Message; got != "1.00k IOPS [950, 1.05k IOPS]" {
		t.Errorf("the message is %q", got)
	}
	results[0].Verdict = model.Invalid
	if got := analyze.Decide(rec, results, []model.Goal{goal(model.IOPS, true, 1)})[0]; got.Outcome != model.Undecided {
		t.Errorf("an invalid number meets a goal: %+v", got)
	}
}

// An interval whose end is twice as far away as the bound has to be half as wide, which takes four
// times as long. No time separates a value from an equal bound.
func TestWhatAGoalNeeds(t *testing.T) {
	rec := sideOf("", reader("a"), 1000, 1020, 980)
	results := analyze.Results(rec)
	e, seconds := results[0].Estimate, results[0].Seconds
	needs := func(bound float64) stats.Needs {
		return analyze.Decide(rec, results, []model.Goal{{Workload: "a", Direction: model.Read, Metric: model.IOPS, Above: true, Bound: bound}})[0].Needs
	}
	for _, bound := range []float64{(e.Value + e.High) / 2, (e.Value + e.Low) / 2} {
		if got := needs(bound); !got.Known || got.Seconds < 4*seconds || got.Seconds > 5*seconds {
			t.Errorf("%.0f within %.0f to %.0f: %+v after %.0f s", bound, e.Low, e.High, got, seconds)
		}
	}
	if got := needs(e.Value); !got.Never {
		t.Errorf("a bound at the value itself: %+v", got)
	}
}

// What was skipped was slower than the limit, by an unknown time: it decides no goal on a mean, nor on a percentile
// that reaches to it.
func TestGoalsOfLoadsThatSkip(t *testing.T) {
	rec := sideOf("", reader("a"), 1000, 1020, 980)
	for _, c := range []struct {
		metric  model.Metric
		skipped uint64
		want    model.Outcome
	}{
		{model.P50, 0, model.Met}, {model.P50, 400, model.Met}, {model.P50, 2000, model.Undecided},
		{model.Latency, 0, model.Met}, {model.Latency, 20, model.Undecided},
	} {
		results := analyze.Results(rec)
		results[0].App = &model.AppResult{Transactions: 1000, Skipped: c.skipped}
		got := analyze.Decide(rec, results, []model.Goal{{Workload: "a", Direction: model.Read, Metric: c.metric, Bound: 1}})[0]
		if got.Outcome != c.want {
			t.Errorf("%s with %d skipped: %s, %s; want %s", c.metric, c.skipped, got.Outcome, got.Message, c.want)
		}
	}
}
