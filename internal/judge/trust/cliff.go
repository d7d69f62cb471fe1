package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleCliff = Rule{
	Name:     "cliff",
	Checks:   "the level did not change in the middle",
	Evidence: "the seconds of each workload: a change of level by 10 % that is neither warm-up nor credit, and more than counting whole I/Os explains",
	Severity: "warning: the number mixes two levels",
	Advice:   "`--until-steady`; a larger `--size` shows whether there is another cliff",
	check:    checkCliff,
}

// checkCliff reports a change of level: a cache that fills up, garbage collection that begins, a
// neighbour that comes or goes. What happens after the end of the measurement is not observed, so a
// pass says how far it looked.
//
// Evidence: the series (PELT on an unbroken one, a t test between repeats otherwise). Source: PELT,
// Killick, Fearnhead and Eckley 2012.
func checkCliff(ev Evidence) []model.Finding {
	var moved float64
	for _, s := range ev.series {
		moved = max(moved, s.bytes[len(s.bytes)-1])
	}
	passed := fmt.Sprintf("none within the %s that the busiest workload read and wrote in all", units.FormatSize(int64(moved)))
	return ev.regimeRule(stepping, tooFewSeconds, passed, func(s *series, r regime) model.Finding {
		return model.Finding{Severity: model.SeverityWarning,
			Message: fmt.Sprintf("cliff: %s changed from %s to %s after %s and %s", s.workload, model.IOPS.Format(r.before),
				model.IOPS.Format(r.after), s.after(r.at), units.FormatSize(int64(s.bytes[max(0, r.at-1)]))),
			Evidence: map[string]any{"before": r.before, "after": r.after, "seconds": s.begin[r.at] - s.begin[0], "bytes": s.bytes[max(0, r.at-1)]},
			Next:     ev.command(ev.only([]string{s.workload}), "--until-steady")}
	})
}
