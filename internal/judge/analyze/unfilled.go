package analyze

import (
	"maps"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// excluded lists the repeats that no result is made of, although they did not fail: each is replaced by later ones.
func excluded(rec *model.Recorded) map[int]bool {
	out := unsettled(rec)
	unfilled := unfilled(rec)
	if len(out) == 0 {
		return unfilled
	}
	maps.Copy(out, unfilled)
	return out
}

// unfilled lists the repeats that were measured before their queue had turned over, where others of the workload were not: the
// first one shows how slow the storage is, and those that follow have a longer ramp. They are selected by their ramps and not by
// what they measured.
func unfilled(rec *model.Recorded) map[int]bool {
	out := map[int]bool{}
	if rec.Plan.Schedule.Mode != model.Rounds {
		return out
	}
	for _, w := range rec.Plan.Workloads {
		turnovers := timeline.Turnovers(rec, w)
		var short []int
		for step, t := range turnovers {
			if t.Short() {
				short = append(short, step)
			}
		}
		if len(short) == len(turnovers) {
			continue
		}
		for _, step := range short {
			out[step] = true
		}
	}
	return out
}
