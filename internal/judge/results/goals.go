package results

import (
	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
)

// decideGoals decides the goals that a run was given. A goal that cannot be read
// any more (the plan was edited) is undecided and says why.
func decideGoals(rec *model.Recorded, results []model.Result) []model.Goal {
	var goals []model.Goal
	for _, text := range rec.Plan.Experiment.Goals {
		g, err := spec.ParseGoal(text, rec.Plan.Workloads)
		if err != nil {
			goals = append(goals, model.Goal{Text: text, Outcome: model.Undecided, Message: err.Error()})
			continue
		}
		goals = append(goals, analyze.Decide(rec, results, []model.Goal{g})...)
	}
	return goals
}
