package model

import "testing"

// Repeats count if they were made to their end on every worker, and a run lacks none of them if each workload has its own.
func TestRepeatsMade(t *testing.T) {
	step := func(number int, workload string) StepResult {
		return StepResult{Step: Step{Number: number, Workload: workload}}
	}
	plan := []Step{{Number: 1, Workload: "a"}, {Number: 2, Workload: "b"}, {Number: 3, Workload: "a"}}
	failed, cut := step(3, "a"), step(3, "a")
	failed.Error, cut.EndedEarly = "EIO", true
	onOther := step(3, "a")
	onOther.Worker, onOther.Error = 1, "lost"
	for name, c := range map[string]struct {
		mode  Mode
		plan  []Step
		steps []StepResult
		made  int
		all   bool
	}{
		"all":                    {Rounds, plan, []StepResult{step(1, "a"), step(2, "b"), step(3, "a")}, 3, true},
		"more":                   {Rounds, plan, []StepResult{step(1, "a"), step(2, "b"), step(3, "a"), step(4, "b")}, 4, true},
		"more of one, and fewer": {Rounds, plan, []StepResult{step(1, "a"), step(2, "b"), step(3, "b"), step(4, "b")}, 4, false},
		"failed":                 {Rounds, plan, []StepResult{step(1, "a"), step(2, "b"), failed}, 2, false},
		"cut off":                {Rounds, plan, []StepResult{step(1, "a"), step(2, "b"), cut}, 2, false},
		"ended by its rule":      {Steady, plan, []StepResult{step(1, "a"), step(2, "b"), cut}, 3, true},
		"one worker failed":      {Rounds, plan, []StepResult{step(1, "a"), step(2, "b"), step(3, "a"), onOther}, 2, false},
		"of two workers":         {Rounds, plan[:1], []StepResult{step(1, "a"), step(1, "a")}, 1, true},
		"none":                   {Rounds, nil, nil, 0, false},
	} {
		r := &Recorded{Plan: Plan{Steps: c.plan, Schedule: Schedule{Mode: c.mode}}, Run: Run{Steps: c.steps}}
		if made, all := r.RepeatsMade(); made != c.made || all != c.all {
			t.Errorf("%s: %d made, all %v; want %d, %v", name, made, all, c.made, c.all)
		}
	}
}
