package trust

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
)

var ruleDrift = Rule{
	Name:     "drift",
	Checks:   "the speed did not drift",
	Evidence: "the repeats of each workload (at least 8): Theil–Sen's slope; or the seconds of one repeat (at least 40): the least-squares slope in correlated noise. Its 99.9 % interval excludes 0, and the change is more than 5 %. It passes if the change is smaller and its 95 % interval is within ±20 %",
	Severity: "warning: the number depends on when and for how long it was measured",
	Advice:   "`--until-steady`, or a longer warm-up",
	check:    checkDrift,
}

// checkDrift reports a slow change over the whole measurement: wear, fragmentation, garbage collection,
// heat.
//
// Evidence: the series. The confidence level is 99.9 %, because a run has many series. Source: Theil
// and Sen's slope, Sen 1968, for repeats; least squares in correlated noise, Grenander and Rosenblatt 1957, for seconds.
func checkDrift(ev Evidence) []model.Finding {
	short := fmt.Sprintf("fewer than %d repeats (or %d s in one), too noisy ones, or a level that changed otherwise: a drift of more than %s would not be distinguished",
		leastRepeats, driftSeconds, percent(driftMost))
	passed := fmt.Sprintf("no workload drifted by more than %s (95%% CI)", percent(ev.mostDrift()))
	return ev.regimeRule(drifting, short, passed, func(s *series, r regime) model.Finding {
		word, change := "faster", r.after/r.before-1
		if change < 0 {
			word = "slower"
		}
		return model.Finding{Severity: model.SeverityWarning,
			Message: fmt.Sprintf("drift: %s got %s %s from beginning to end", s.workload, percent(math.Abs(change)), word),
			Evidence: map[string]any{"change": change, "change_low": r.low, "change_high": r.high,
				"seconds": s.end[len(s.end)-1] - s.begin[0]},
			Next: ev.command(ev.only([]string{s.workload}), "--until-steady")}
	})
}

// mostDrift is the largest drift that remains possible where none was found, relative to the level.
func (ev Evidence) mostDrift() (most float64) {
	for i, r := range ev.regimes {
		if s := &ev.series[i]; s.tells(drifting, r) {
			most = math.Max(most, s.drift().most())
		}
	}
	return most
}
