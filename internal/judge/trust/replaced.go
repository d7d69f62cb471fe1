package trust

import (
	"github.com/loadline/loadline/internal/model"
)

var ruleReplaced = Rule{
	Name:     "replaced",
	Checks:   "the same file or device was measured from the beginning to the end",
	Evidence: "the descriptor that the worker holds, compared around each repeat with what the name means (device, inode, size), and where it is written also with who else uses it",
	Severity: "invalid: part of it may have been measured on something else, or somebody else changed it",
	Advice:   "find out who did that, and measure again when nobody does",
	check:    checkReplaced,
}

// checkReplaced: a file or device whose name came to mean another during the run, that went
// away, or that somebody else began to use. Loadline goes on writing only to what it holds,
// but what the numbers stand for is then unknown, so none of the run counts.
//
// Evidence: the worker's comparison around each step. Servers and imported runs have none.
func checkReplaced(ev Evidence) []model.Finding {
	held := 0
	for _, s := range ev.Recorded.Run.Steps {
		if s.Replaced != "" {
			return []model.Finding{{
				Severity: model.SeverityInvalid, Results: ev.workloads(), Message: s.Replaced,
				Evidence: map[string]any{"step": s.Step.Number, "worker": s.Worker},
				Next:     ev.command(),
			}}
		}
		if s.Held {
			held++
		}
	}
	if held == 0 {
		return notChecked("the worker held no file or device open: the target is a server, or the run is older than this rule")
	}
	return passedAll("the same file or device was measured at every repeat")
}
