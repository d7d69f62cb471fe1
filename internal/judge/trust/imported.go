package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var ruleImported = Rule{
	Name:     "imported",
	Checks:   "Loadline measured the numbers itself, second by second",
	Evidence: "the source of the numbers, and contradictions in it",
	Severity: "warning: a figure without samples of each second has no interval, and most of these rules have no evidence",
	Advice:   "measure it with `loadline run`, a database with `loadline app postgres`; or import fio's output with `--status-interval=1 --output-format=json+`, which contains each second",
	check:    checkImported,
}

// checkImported judges imported numbers. They are not less true, but a figure without its seconds says
// nothing about its precision, and what was not checked during the measurement cannot be checked later.
// So the result is never valid: nothing replaces the missing checks.
//
// It also passes on what the reader of the source found. It does not apply to Loadline's own runs.
func checkImported(ev Evidence) []model.Finding {
	im := ev.Recorded.Imported
	if im == nil {
		return nil
	}
	var bare, series, without []string
	for _, r := range ev.Results {
		if ev.sampled(r.Workload) {
			series = add(series, r.Workload)
			if r.Confidence == 0 {
				without = add(without, r.Workload)
			}
		} else {
			bare = add(bare, r.Workload)
		}
	}
	var list []model.Finding
	if len(bare) > 0 {
		repeated := 0
		for _, r := range ev.Results {
			if r.Confidence > 0 && !ev.sampled(r.Workload) {
				repeated++
			}
		}
		message := "imported: no raw series; these are single figures without intervals, and what was not checked during the measurement cannot be checked now"
		if repeated > 0 {
			message = fmt.Sprintf("imported: no raw series; %d of these figures were repeated and have an interval, the others have none, and what was not checked during the measurement cannot be checked now", repeated)
		}
		list = append(list, model.Finding{Severity: model.SeverityWarning, Results: bare, Message: message,
			Next: ev.measureAgain()})
	}
	if len(series) > 0 {
		message := "imported: the source contains each second, so there are intervals, but"
		switch len(without) {
		case 0:
		case len(series):
			message = "imported: the source contains each second, but too few of them for an interval, and"
		default:
			message = "imported: the source contains each second, so there are intervals, except of " + strings.Join(without, ", ") + ", and"
		}
		list = append(list, model.Finding{Severity: model.SeverityWarning, Results: series, Next: ev.measureAgain(),
			Message: message + " the content of the volume and the activity of the machine and the device are not known"})
	}
	return append(list, im.Remarks...)
}

// failuresReported reports whether the absence of reported failures of a workload means that there were none:
// always for Loadline's own runs, and for imported ones if the source reports failures.
func (ev Evidence) failuresReported(workload string) bool {
	im := ev.Recorded.Imported
	return im == nil || !slices.ContainsFunc(im.Figures, func(f model.Figure) bool { return f.Workload == workload && !f.Outcome })
}

// sampled reports whether seconds of the workload are on record.
func (ev Evidence) sampled(workload string) bool {
	steps := map[int]bool{}
	for _, s := range ev.good(workload) {
		steps[s.Step.Number] = true
	}
	for i := range ev.Recorded.Samples {
		if steps[ev.Recorded.Samples[i].Step] {
			return true
		}
	}
	return false
}
