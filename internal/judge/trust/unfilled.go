package trust

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
	"github.com/loadline/loadline/internal/model/units"
)

// unfilledTime and unfilledRamp are how long and how long before it a workload is advised to be measured, in times of what its
// queue takes to turn over; neither is below what --time uses by itself.
const (
	unfilledTime, unfilledRamp           = 10.0, 1.5
	unfilledTimeLeast, unfilledRampLeast = 20.0, 5.0
)

// unfilled returns the finding on a workload whose latencies were measured before its queue had turned over; nil if there is none.
// If fewer I/Os were in flight than requested shows it: storage that only delays I/Os, however many there are, has the same latency
// from the first one on.
func (ev Evidence) unfilled(w model.Workload) *model.Finding {
	counted := map[int]bool{}
	for _, s := range ev.good(w.Name) {
		counted[s.Step.Number] = true
	}
	var worst timeline.Turnover
	for step, t := range timeline.Turnovers(ev.Recorded, w) {
		if counted[step] && t.Short() && t.Flight < 1-littleAllowed && t.Early > worst.Early {
			worst = t
		}
	}
	if worst.Early == 0 {
		return nil
	}
	slots := w.Depth * w.JobCount()
	return &model.Finding{
		Severity: model.SeverityWarning, Results: []string{w.Name},
		Message: fmt.Sprintf("latencies are too low: a queue of %s takes %s to turn over on this storage, and was measured from %s on; the first I/Os wait for fewer others than later ones do",
			units.FormatCount(slots, "I/O"), units.FormatDuration(worst.Seconds), units.FormatDuration(worst.Ramp)),
		Evidence: map[string]any{"turnover": worst.Seconds, "ramp": worst.Ramp, "share": worst.Early, "little": worst.Flight},
		Next: ev.command(ev.only([]string{w.Name}), "--time", span(math.Ceil(max(unfilledTimeLeast, unfilledTime*worst.Seconds))),
			"--ramp-time", span(math.Ceil(max(unfilledRampLeast, unfilledRamp*worst.Seconds)))),
	}
}
