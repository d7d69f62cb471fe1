package trust

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleInterrupted = Rule{
	Name:     "interrupted",
	Checks:   "the run ended as planned, and what it saved can be read",
	Evidence: "the status of the run, its files",
	Severity: "warning: the numbers are based on fewer repeats than planned, or on a part of them",
	Advice:   "run it again",
	check:    checkInterrupted,
}

// checkInterrupted reports a run that was interrupted. It is a warning: the measured part is right, but
// has fewer repeats than planned, and workloads may be missing.
//
// Evidence: the run's status. "running" in a directory that is being analysed means that the process
// was killed.
func checkInterrupted(ev Evidence) []model.Finding {
	run := &ev.Recorded.Run
	var what string
	switch run.Status {
	case model.Complete:
		if damage := ev.Recorded.Damage; len(damage) > 0 {
			return []model.Finding{{Severity: model.SeverityWarning, Message: "partial: not all that was saved can be read: " + strings.Join(damage, "; "),
				Evidence: map[string]any{"damage": damage}, Next: "copy the directory again from where it was measured, or measure again: " + ev.command()}}
		}
		return passedAll("the run ended as planned")
	case model.Interrupted:
		what = "the run was interrupted"
	case model.Failed:
		what = "the run failed"
	case model.Running:
		what = "the end of the run was not recorded: its process was killed, or is still running"
	default:
		return notChecked("the run does not say how it ended")
	}
	if run.Reason != "" {
		what += " (" + run.Reason + ")"
	}
	planned, were := len(ev.Recorded.Plan.Steps), "were made"
	made, all := ev.Recorded.RepeatsMade()
	if len(run.Steps) == 0 && len(ev.Recorded.Samples) > 0 {
		// The record of the run is lost, and its samples are not.
		made, were = sampledSteps(ev.Recorded.Samples), "have samples"
	}
	message := fmt.Sprintf("partial: %s; %d of at least %d repeats %s", what, made, planned, were)
	switch {
	case planned == 0:
		message = fmt.Sprintf("partial: %s; %s %s", what, units.FormatCount(made, "repeat"), were)
	case all:
		// None of the guaranteed repeats is missing: what was cut off are those that would have narrowed the intervals.
		message = fmt.Sprintf("partial: %s; %s %s (at least %d were planned)", what, units.FormatCount(made, "repeat"), were, planned)
	}
	evidence := map[string]any{"status": string(run.Status), "repeats": made, "planned": planned}
	if n := brokenOff(ev.Recorded); n > 0 && len(run.Steps) > 0 {
		evidence["broken_off"] = n
		if n == 1 {
			message += ", and a part of another one"
		} else {
			message += fmt.Sprintf(", and a part of %d others", n)
		}
	}
	if lost := lostWorkers(run.Steps); len(lost) > 0 {
		evidence["lost"] = lost
	}
	return []model.Finding{{
		Severity: model.SeverityWarning,
		Message:  message,
		Evidence: evidence,
		Next:     ev.command(),
	}}
}

// brokenOff returns how many repeats count with the part of them that was made before the run ended.
func brokenOff(rec *model.Recorded) int {
	whole := map[int]bool{}
	for _, s := range rec.Run.Steps {
		n := s.Step.Number
		before, seen := whole[n]
		// The rule that ends a repeat once it is steady ends it early.
		whole[n] = (!seen || before) && (!s.EndedEarly || rec.Plan.Schedule.Mode == model.Steady)
	}
	cut := map[int]bool{}
	for _, list := range timeline.Good(rec, nil) {
		for i := range list {
			if !whole[list[i].Step] {
				cut[list[i].Step] = true
			}
		}
	}
	return len(cut)
}

// sampledSteps returns how many steps have samples.
func sampledSteps(samples []model.Sample) int {
	steps := map[int]bool{}
	for _, s := range samples {
		steps[s.Step] = true
	}
	return len(steps)
}

// lostWorkers are the sentences about workers that were lost during the run.
func lostWorkers(steps []model.StepResult) []string {
	var list []string
	for _, s := range steps {
		if s.Lost != "" {
			list = append(list, s.Lost)
		}
	}
	return list
}
