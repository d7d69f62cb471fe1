package trust

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

var ruleFairness = Rule{
	Name:     "fairness",
	Checks:   "volumes loaded at the same time get about the same rate",
	Evidence: "the rate of each volume while all run (Jain's index below 0.85)",
	Severity: "warning: the mean per volume hides that some volumes get far less",
	Advice:   "find out what the slow volumes have in common: a node, a disk, a replica being rebuilt",
	check:    checkFairness,
}

// fairnessNeeded is the minimum index: slightly below the 0.9 that results if half of the volumes get
// half of what the others get, as when an odd number shares the devices.
const fairnessNeeded = 0.85

// checkFairness reports volumes that get very different shares. The total is right, but no volume has
// the mean rate.
//
// Evidence: the samples of each worker. Source: Jain's index.
func checkFairness(ev Evidence) []model.Finding {
	several := ev.multiVolume()
	if len(several) == 0 {
		return nil
	}
	var o outcome
	for _, w := range several {
		rates := ev.shares(w)
		index := stats.Fairness(rates)
		switch {
		case index == 0:
			o.miss(w.Name, "there is no repeat in which all volumes were measured")
		case index >= fairnessNeeded:
			o.pass(w.Name)
		default:
			least, most := slices.Min(rates), slices.Max(rates)
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{w.Name},
				Message: fmt.Sprintf("unfair: of the volumes of %s, number %d got %s and number %d got %s, so the mean describes none of them",
					w.Name, slices.Index(rates, least)+1, model.IOPS.Format(least), slices.Index(rates, most)+1, model.IOPS.Format(most)),
				Evidence: map[string]any{"index": index, "least": least, "most": most, "needed": fairnessNeeded},
				Next:     "find out where the slow volumes are: report.json has the rate of each, in the order of the targets"})
		}
	}
	return o.findings("volumes got about the same", "")
}

// shares is the mean rate of each volume, both directions together, over the repeats in which all of
// them were measured.
func (ev Evidence) shares(w model.Workload) []float64 {
	rates := make([]float64, w.VolumeCount())
	repeats := 0.0
	for _, c := range timeline.Groups(ev.Recorded, w.Name) {
		from, to := c.Common()
		if len(c.Workers) != len(rates) || to <= from {
			continue
		}
		repeats++
		for _, d := range w.Directions() {
			ios, _ := c.Rates(d)
			for i := range rates {
				rates[i] += ios[i]
			}
		}
	}
	for i := range rates {
		rates[i] /= max(1, repeats)
	}
	return rates
}
