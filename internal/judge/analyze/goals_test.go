package analyze_test

import (
	"testing"

	"github.com/loadline/loadline/internal/judge/analyze"
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
		{model.Goal{Workload: "b", Direction: model.Read, Metric: model.IOPS}, model.Undecided},
	} {
		got := analyze.Decide(rec, results, []model.Goal{c.goal})[0]
		if got.Outcome != c.want || got.Message == "" {
			t.Errorf("%+v: %s, %s; want %s", c.goal, got.Outcome, got.Message, c.want)
		}
		if got.Outcome == model.Undecided && c.goal.Metric == model.IOPS && c.goal.Workload == "a" && got.Next == "" {
			t.Errorf("%+v: nothing is said to settle it", c.goal)
		}
	}
	results[0].Verdict = model.Invalid
	if got := analyze.Decide(rec, results, []model.Goal{goal(model.IOPS, true, 1)})[0]; got.Outcome != model.Undecided {
		t.Errorf("an invalid number meets a goal: %+v", got)
	}
}
