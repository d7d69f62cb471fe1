package results

import (
	"slices"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/judge/trust"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
)

// decideGoals decides the goals of a run, and says what to do about those that are not met. A goal that
// can no longer be parsed (the plan was edited) is undecided and says why.
func decideGoals(ev trust.Evidence, findings []model.Finding) []model.Goal {
	var goals []model.Goal
	for _, text := range ev.Recorded.Plan.Experiment.Goals {
		g, err := spec.ParseGoal(text, ev.Recorded.Plan.Workloads)
		if err != nil {
			goals = append(goals, model.Goal{Text: text, Outcome: model.Undecided, Message: err.Error()})
			continue
		}
		w, _ := ev.Recorded.Plan.Workload(g.Workload)
		if apps.Of(w).FlushTimes && g.Direction == model.Sync {
			g = believed(decideFlushes(ev.Recorded, w, g), ev, findings)
			g.Message += etcdAnswer(w, g, ev.Results, findings)
			goals = append(goals, g)
			continue
		}
		for _, d := range analyze.Decide(ev.Recorded, ev.Results, []model.Goal{g}) {
			g := lasting(d.Goal, ev.Results, findings)
			g.Message += etcdAnswer(w, g, ev.Results, findings)
			if g.Next == "" {
				g.Next = trust.Settle(ev, findings, g, d.Needs)
			}
			goals = append(goals, g)
		}
	}
	return goals
}

// lasting leaves a goal undecided that is met by a number which may be that of a cache or of burst credits. A rate that fell is
// what was left of it, so it decides.
func lasting(g model.Goal, results []model.Result, findings []model.Finding) model.Goal {
	at := slices.IndexFunc(results, func(r model.Result) bool { return r.Workload == g.Workload && r.Direction == g.Direction })
	if g.Outcome != model.Met || at < 0 || results[at].Sustained.Fallen() {
		return g
	}
	if f := trust.MayNotLast(findings, g.Workload); f != nil {
		g.Outcome, g.Next = model.Undecided, f.Next
		g.Message += " meets the bound, but may not last: see the warning of rule " + f.Rule
	}
	return g
}

// believed leaves a goal on an application's counts undecided if a rule calls the numbers of that load
// invalid.
func believed(g model.Goal, ev trust.Evidence, findings []model.Finding) model.Goal {
	for _, r := range ev.Results {
		if r.Workload != g.Workload || r.Verdict != model.Invalid {
			continue
		}
		g.Outcome = model.Undecided
		g.Message += ", but the numbers of " + g.Workload + " are invalid"
		of := g
		of.Direction = r.Direction
		g.Next = trust.Settle(ev, findings, of, analyze.Decided{}.Needs)
		return g
	}
	return g
}
