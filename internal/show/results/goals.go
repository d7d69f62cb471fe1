package results

import (
	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/judge/trust"
	"github.com/loadline/loadline/internal/model"
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
		if loadsEtcd(w) && g.Direction == model.Sync {
			g = believed(decideFlushes(ev.Recorded, w, g), ev, findings)
			g.Message += etcdAnswer(w, g, ev.Results, findings)
			goals = append(goals, g)
			continue
		}
		for _, d := range analyze.Decide(ev.Recorded, ev.Results, []model.Goal{g}) {
			d.Goal.Message += etcdAnswer(w, d.Goal, ev.Results, findings)
			d.Next = trust.Settle(ev, findings, d.Goal, d.Needs)
			goals = append(goals, d.Goal)
		}
	}
	return goals
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
		g.Next = trust.Settle(ev, findings, of, 0)
		return g
	}
	return g
}
