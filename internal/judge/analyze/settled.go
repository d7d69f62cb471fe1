package analyze

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

const (
	// settledLeast is the number of repeats to a storage that was done with what was written
	// before, below which none of the others can be left out; one in a single repeat.
	settledLeast = 2
	// settledAlike is how far, relative to their mean, those repeats may be apart: where they
	// differ by more, something else than writes moves the rate.
	settledAlike = 0.15
)

// unsettled lists the repeats that only read and began before the storage was done with what
// was written, where a wait has made reads faster: their rate is that of reads beside a
// cache that drains. Which repeats these are is told by when they began and not by their
// rates, so leaving them out prefers no rate.
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
		if w.Writes() {
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
		if len(early) == 0 || len(late) < least || !alike(rec.ReadRates(late)) {
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

// leftOut are the steps of a workload among those that are left out, in the order of time.
func leftOut(rec *model.Recorded, out map[int]bool, workload string) []int {
	var list []int
	for _, r := range rec.Run.Steps {
		if n := r.Step.Number; out[n] && r.Step.Workload == workload && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}
