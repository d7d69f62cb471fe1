package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

var ruleModes = Rule{
	Name:     "modes",
	Checks:   "the storage has one speed and not two",
	Evidence: "the seconds of each workload: Hartigan's dip test (p < 0.01) and modes at least 10 % apart, and farther than counting whole I/Os explains",
	Severity: "warning: the mean is a speed that the storage never has",
	Advice:   "look at the series, and find out what changes",
	check:    checkModes,
}

// checkModes reports storage that switches between two speeds.
//
// Evidence: the series; correlated neighbours count as less than two values. Source: the dip test of
// Hartigan and Hartigan 1985.
func checkModes(ev Evidence) []model.Finding {
	short := fmt.Sprintf("fewer than %d seconds are too few to detect a bimodal workload", modeSeconds)
	return ev.regimeRule(bimodal, short, "no workload jumps between two speeds", func(s *series, r regime) model.Finding {
		return model.Finding{Severity: model.SeverityWarning,
			Message: fmt.Sprintf("bimodal: %s jumps between %s and %s, so its mean is a speed that it never has",
				s.workload, model.IOPS.Format(r.before), model.IOPS.Format(r.after)),
			Evidence: map[string]any{"low": r.before, "high": r.after},
			Next:     "look at the series in the report and at what else happened then; " + ev.command(ev.only([]string{s.workload}), "--time", "120s")}
	})
}
