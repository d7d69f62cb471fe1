package results

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/judge/trust"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
)

// TestEtcdAnswerKnowsWhatAPercentileDoesNot: a disk that stalls for seconds is not fit for etcd,
// whatever its p99 is, and one that was measured on full processors is not to blame.
func TestEtcdAnswerKnowsWhatAPercentileDoesNot(t *testing.T) {
	w := model.Workload{Name: "put-c1", Direction: model.Write, Depth: 1, App: model.AppLoad{Tool: "etcd"}}
	goal := model.Goal{Workload: "put-c1", Direction: model.Sync, Metric: model.P99, Bound: apps.EtcdFlush}
	stall := func(cause model.StallCause) model.Finding {
		return model.Finding{Rule: "stall", Severity: model.SeverityWarning, Results: []string{"put-c1"}, Evidence: map[string]any{"seconds": 2.5, "cause": string(cause)}}
	}
	const carries, slow = "this disk is fast enough for etcd", "this disk is too slow"
	for name, c := range map[string]struct {
		outcome       model.Outcome
		finding       model.Finding
		says, silence string
	}{
		"stood still":       {model.Met, stall(model.StallStorage), "nothing was answered for 2.50 s", carries},
		"the machine stood": {model.Met, stall(model.StallMachine), carries, "nothing was answered"},
		"another load's":    {model.Met, model.Finding{Rule: "stall", Severity: model.SeverityWarning, Results: []string{"put-c8"}, Evidence: stall("").Evidence}, carries, "nothing was answered"},
		"no flush":          {model.Met, model.Finding{Rule: "memory", Severity: model.SeverityWarning, Results: []string{"put-c1"}}, "not passed on to the disk", carries},
		"full":              {model.Missed, model.Finding{Rule: "full-cpu", Severity: model.SeverityWarning, Results: []string{"put-c1"}}, "not known whether this disk is to blame", slow},
		"full, by fio":      {model.Missed, model.Finding{Rule: "cpu", Severity: model.SeverityWarning}, "not known whether this disk is to blame", slow},
		"not full":          {model.Missed, model.Finding{Rule: "full-cpu", Severity: model.SeverityPassed}, slow, "to blame"},
		"full, and fast":    {model.Met, model.Finding{Rule: "full-cpu", Severity: model.SeverityWarning}, carries, "to blame"},
	} {
		g := goal
		g.Outcome = c.outcome
		if got := etcdAnswer(w, g, nil, []model.Finding{c.finding}); !strings.Contains(got, c.says) || strings.Contains(got, c.silence) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestFlushesOfInvalidNumbersDecideNothing: etcd in memory is fast, and says nothing about a disk.
func TestFlushesOfInvalidNumbersDecideNothing(t *testing.T) {
	w := model.Workload{Name: "put-c1", Direction: model.Write, Depth: 1, App: model.AppLoad{Tool: "etcd"}}
	rec := flushed(990, 1000)
	rec.Plan.Workloads, rec.Plan.Experiment.Goals = []model.Workload{w}, []string{"put-c1 sync p99 < 10ms"}
	for verdict, want := range map[model.Verdict]model.Outcome{model.Valid: model.Met, model.Suspect: model.Met, model.Invalid: model.Undecided} {
		ev := trust.Evidence{Recorded: rec, Results: []model.Result{{Workload: "put-c1", Direction: model.Write, Verdict: verdict}}}
		findings := []model.Finding{{Rule: "local", Severity: model.SeverityInvalid, Message: "this is memory", Next: "name a directory on a disk"}}
		goals := decideGoals(ev, findings)
		if len(goals) != 1 || goals[0].Outcome != want {
			t.Fatalf("%s: %+v", verdict, goals)
		}
		if fast := strings.Contains(goals[0].Message, "fast enough"); fast == (verdict == model.Invalid) {
			t.Errorf("%s: %q", verdict, goals[0].Message)
		}
		if verdict == model.Invalid && goals[0].Next != "name a directory on a disk" {
			t.Errorf("next: %q", goals[0].Next)
		}
	}
}
