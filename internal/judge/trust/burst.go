package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleBurst = Rule{
	Name:     "burst",
	Checks:   "no burst credits ran out",
	Evidence: "the seconds of each workload: one step down (by 10 %) to a level that is flat, and more than counting whole I/Os explains",
	Severity: "warning: the number mixes two levels",
	Advice:   "`--until-steady` measures the sustained level",
	check:    checkBurst,
}

// checkBurst reports a burst: cloud disks grant a credit of fast I/Os and then fall to their base rate.
// The credit is estimated as the I/Os above the later level.
//
// Evidence: the series; one step down, and less variation after it than before, or next to none.
func checkBurst(ev Evidence) []model.Finding {
	return ev.regimeRule(bursting, tooFewSeconds, "no workload fell to a lower level", func(s *series, r regime) model.Finding {
		return model.Finding{Severity: model.SeverityWarning,
			Message: fmt.Sprintf("burst credit: %s fell from %s to %s after %s; some %s I/Os above the lower level were burst credits (or a cache)",
				s.workload, model.IOPS.Format(r.before), model.IOPS.Format(r.after), s.after(r.at), units.FormatRate(r.credit)),
			Evidence: map[string]any{"before": r.before, "after": r.after, "seconds": s.begin[r.at] - s.begin[0], "credit": r.credit},
			Next:     ev.command(ev.only([]string{s.workload}), "--until-steady")}
	})
}
