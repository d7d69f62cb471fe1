package trust

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleSync = Rule{
	Name:     "sync",
	Checks:   "volumes loaded at the same time started together",
	Evidence: "the time of each worker's first measured second, on clocks with measured offsets (1 s)",
	Severity: "invalid: the total is not simultaneous",
	Advice:   "synchronize the machines' clocks, and stop whatever delays some of them",
	check:    checkSync,
}

// syncAllowed is the time in seconds by which the starts of a repeat may differ.
const syncAllowed = 1.0

// checkSync reports workers that started at different times: they use what the others leave, so the sum
// of their rates never occurred. The uncertainty of the clock offsets is counted in the worker's
// favour.
//
// Evidence: the samples' times and the clocks.
func checkSync(ev Evidence) []model.Finding {
	several := ev.multiVolume()
	if len(several) == 0 {
		return nil
	}
	unknown, measured := ev.clockError()
	var o outcome
	for _, w := range several {
		worst, repeats := 0.0, 0
		for _, c := range timeline.Groups(ev.Recorded, w.Name) {
			if len(c.Workers) == w.VolumeCount() {
				worst, repeats = max(worst, c.StartSpread()), repeats+1
			}
		}
		switch {
		case repeats == 0:
			o.miss(w.Name, "there is no repeat in which all volumes were measured")
		case !measured:
			o.miss(w.Name, "the workers' clocks were not compared")
		case worst-unknown > syncAllowed:
			o.fault(model.Finding{Severity: model.SeverityInvalid, Results: []string{w.Name},
				Message: fmt.Sprintf("not simultaneous: the volumes of %s started up to %s apart, so the sum of their rates was never reached at any one time",
					w.Name, units.FormatDuration(worst)),
				Evidence: map[string]any{"apart": worst, "clocks_known_to": unknown, "allowed": syncAllowed},
				Next:     "check the machines' clocks (timedatectl) and their other load, then " + ev.command()})
		case worst+unknown > syncAllowed:
			o.miss(w.Name, fmt.Sprintf("the clocks are known to ±%s only", units.FormatDuration(unknown)))
		default:
			o.pass(w.Name)
		}
	}
	return o.findings("volumes started together", "")
}

// multiVolume lists the workloads on several volumes that have a result.
func (ev Evidence) multiVolume() []model.Workload {
	var list []model.Workload
	for _, name := range ev.workloads() {
		if w, known := ev.Recorded.Plan.Workload(name); known && w.VolumeCount() > 1 {
			list = append(list, w)
		}
	}
	return list
}

// clockError is the uncertainty, in seconds, of the difference between any two workers' clocks: the
// errors of both, and the drift of the clocks between two measurements.
func (ev Evidence) clockError() (seconds float64, measured bool) {
	first := map[int]model.Clock{}
	for _, c := range ev.Recorded.Run.Beside.Clocks {
		before, again := first[c.Worker]
		if !again {
			first[c.Worker] = c
		}
		seconds = max(seconds, 2*c.Error)
		if again {
			seconds = max(seconds, math.Abs(c.Offset-before.Offset)+c.Error+before.Error)
		}
	}
	return seconds, len(first) > 0
}
