package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/analyze"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/spec"
)

func registerGoals(cmd *cobra.Command, o *options) {
	cmd.Flags().StringArrayVar(&o.goals, "goal", nil, "what a result must reach, as 'WORKLOAD METRIC > VALUE' or '… < VALUE' (may be given again)")
}

// parseGoals reads goals as they were written.
func parseGoals(texts []string, workloads []model.Workload) ([]model.Goal, error) {
	var goals []model.Goal
	for _, text := range texts {
		g, err := spec.ParseGoal(text, workloads)
		if err != nil {
			return nil, err
		}
		goals = append(goals, g)
	}
	return goals, nil
}

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

// goalCode is 3 when a goal was missed, or is undecided though its number is not
// invalid: a gate lets through only what is shown to be good.
func goalCode(r *model.Report) int {
	for _, g := range r.Goals {
		bad := false
		for _, res := range r.Results {
			bad = bad || res.Workload == g.Workload && res.Direction == g.Direction && res.Verdict == model.Invalid
		}
		if g.Outcome == model.Missed || g.Outcome == model.Undecided && !bad {
			return exitGoal
		}
	}
	return exitOK
}
