package analyze

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

const (
	// settledLeast is the minimum number of repeats on a storage that had drained its earlier writes,
	// for others to be left out; it is one in a single repeat.
	settledLeast = 2
	// settledAlike is how far, relative to their mean, those repeats may differ: if they differ by
	// more, something other than writes moves the rate.
	settledAlike = 0.15
)

// unsettled lists the repeats with reads that began before the storage had drained its writes, where
// waiting has made reads faster: they measure reads beside a draining cache. The repeats are selected
// by when they began and not by their rates, so leaving them out introduces no bias.
func unsettled(rec *model.Recorded) map[int]bool {
	if !model.SettlingNeeded(rec.Run.Steps) {
		return nil
	}
	least := settledLeast
	if rec.Plan.Schedule.Mode != model.Rounds {
		least = 1
	}
	out := map[int]bool{}
	for _, w := range rec.Plan.Workloads {
		if !w.Reads() {
			continue
		}
		early, late := map[int]bool{}, map[int]bool{}
		for _, r := range rec.Run.Steps {
			switch {
			case r.Step.Workload != w.Name || r.Error != "":
			case r.Settling.Early():
				early[r.Step.Number] = true
			default:
				late[r.Step.Number] = true
			}
		}
		if len(early) == 0 || len(late) < least || !alike(timeline.ReadRates(rec, late)) {
			continue
		}
		for step := range early {
			out[step] = true
		}
	}
	return out
}

func alike(rates []float64) bool {
	if len(rates) == 0 {
		return false
	}
	low, high := slices.Min(rates), slices.Max(rates)
	return high-low <= settledAlike*(low+high)/2
}

// leftOut are the left-out steps of a workload, in time order.
func leftOut(rec *model.Recorded, out map[int]bool, workload string) []int {
	var list []int
	for _, r := range rec.Run.Steps {
		if n := r.Step.Number; out[n] && r.Step.Workload == workload && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}
