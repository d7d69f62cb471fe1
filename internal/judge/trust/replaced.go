package trust

import (
	"github.com/loadline/loadline/internal/model"
)

var ruleReplaced = Rule{
	Name:     "replaced",
	Checks:   "the same file or device was measured from beginning to end",
	Evidence: "the worker's open descriptor, compared around each repeat with the file or device that has the name (device, inode, size); if it is written to, also whether anything else uses it",
	Severity: "invalid: part of the run may have measured something else, or something else changed it",
	Advice:   "find out what did that, stop it, and measure again",
	check:    checkReplaced,
}

// checkReplaced reports a file or device whose name came to refer to another one during the run, that
// disappeared, or that was taken into use by others. Loadline goes on writing only to what it has open,
// but what the numbers refer to is then unknown, so none of the run counts.
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
		return notChecked("the worker had no file or device open: the target is a server, or the run is older than this rule")
	}
	return passedAll("the same file or device was measured at every repeat")
}
