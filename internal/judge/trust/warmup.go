package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

var ruleWarmUp = Rule{
	Name:     "warm-up",
	Checks:   "the storage was warm from the beginning",
	Evidence: "the seconds of each workload: a start slower (by 10 %) than the steady rest, by more than counting whole I/Os explains",
	Severity: "warning if the slow start is included in the number; a note with `--until-steady`, which excludes it",
	Advice:   "`--until-steady`, or a longer warm-up",
	check:    checkWarmUp,
}

// checkWarmUp reports first seconds that were slower than the rest.
//
// Evidence: the series (MSER-5 on an unbroken one, and a start that is far below its second half; an
// upward change within the first half otherwise). Source: MSER-5, White, Cobb and Spratt 2000.
func checkWarmUp(ev Evidence) []model.Finding {
	left := ev.Recorded.Plan.Schedule.Mode == model.Steady
	return ev.regimeRule(warming, tooFewSeconds, "no workload started slower than it continued", func(s *series, r regime) model.Finding {
		f := model.Finding{Severity: model.SeverityWarning,
			Message: fmt.Sprintf("warm-up: %s ran at %s for the first %s and then at %s, and the slow start is included in the number",
				s.workload, model.IOPS.Format(r.before), s.after(r.at), model.IOPS.Format(r.after)),
			Evidence: map[string]any{"before": r.before, "after": r.after, "seconds": s.begin[r.at] - s.begin[0]},
			Next:     ev.command(ev.only([]string{s.workload}), "--until-steady")}
		if left {
			f.Severity = model.SeverityNote
			f.Message = fmt.Sprintf("warm-up: the first %s of %s ran at %s and are excluded", s.after(r.at), s.workload,
				model.IOPS.Format(r.before))
		}
		return f
	})
}

// tooFewSeconds is why a series cannot show a change of level.
const tooFewSeconds = "too few seconds or repeats to distinguish a change from noise (--time 60s or more repeats would)"
