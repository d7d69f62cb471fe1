package trust

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// earlySeconds is how much shorter than planned a visit may be.
const earlySeconds = 1.0

// checkErrors: any failed visit, I/O error, short I/O or early exit makes a
// workload invalid, also when other visits went well: those are kept, but the
// visits that a faulty device lets pass are not a fair selection of all.
//
// Source: methodology's "Errors" (fio with continue_on_error ends 0 although
// I/Os failed; neither is ever a pass).
func checkErrors(ev Evidence) []model.Finding {
	var o outcome
	byCause := map[string]int{}
	for _, w := range ev.visited() {
		steps := ev.steps(w)
		f, cause := ev.faultOf(w, steps)
		switch {
		case len(steps) == 0:
			o.miss(w, "no visit is on record")
		case cause == "":
			o.pass(w)
		default:
			if i, seen := byCause[cause]; seen {
				o.faults[i].Results = add(o.faults[i].Results, w)
				for k, v := range f.Evidence {
					o.faults[i].Evidence[k] = o.faults[i].Evidence[k].(int) + v.(int)
				}
			} else {
				byCause[cause] = len(o.faults)
				o.fault(f)
			}
		}
	}
	for cause, i := range byCause {
		f := &o.faults[i]
		f.Message = fmt.Sprintf("incomplete: %d of %d visits of %s went wrong: %s",
			f.Evidence["failed_visits"], f.Evidence["visits"], few(f.Results), cause)
	}
	return o.findings("no visit failed, no I/O failed or was short, none ended early", "no visit is on record")
}

// visited lists the workloads with results or visits.
func (ev Evidence) visited() []string {
	names := ev.workloads()
	for _, s := range ev.Recorded.Run.Steps {
		names = add(names, s.Step.Workload)
	}
	return names
}

// faultOf sums up what went wrong in a workload's visits; the cause is "" when
// nothing did.
func (ev Evidence) faultOf(workload string, steps []model.StepResult) (model.Finding, string) {
	var failed, ioErrors, shortIOs int
	cause := ""
	for _, s := range steps {
		ioErrors += int(s.IOErrors)
		shortIOs += int(s.ShortIOs)
		why := ev.wrong(s)
		if why == "" {
			continue
		}
		failed++
		if cause == "" {
			cause = why
		}
	}
	return model.Finding{
		Severity: model.SeverityInvalid,
		Results:  []string{workload},
		Evidence: map[string]any{"failed_visits": failed, "visits": len(steps), "io_errors": ioErrors, "short_ios": shortIOs},
		Next:     "mend the cause (the tool's own words are in the run's raw/ folder), then " + ev.command("--only", workload),
	}, cause
}

// wrong tells what went wrong in one visit, "" when nothing did.
func (ev Evidence) wrong(s model.StepResult) string {
	planned := s.Step.Ramp + s.Step.Seconds
	switch {
	case s.Error != "":
		return strings.TrimRight(s.Error, ". \n")
	case s.IOErrors > 0:
		return "I/Os failed"
	case s.ShortIOs > 0:
		return "I/Os moved fewer bytes than asked"
	case s.EndedEarly:
		return ""
	case s.Ended > s.Started && s.Ended-s.Started < planned-earlySeconds:
		return fmt.Sprintf("the load ended after %s instead of %s",
			model.FormatDuration(s.Ended-s.Started), model.FormatDuration(planned))
	}
	return ""
}
