package analyze

import (
	"maps"

	"github.com/loadline/loadline/internal/model"
)

// excluded lists the repeats that no result is made of, although they did not fail: each is replaced by later ones.
func excluded(rec *model.Recorded) map[int]bool {
	out := map[int]bool{}
	maps.Copy(out, unsettled(rec))
	maps.Copy(out, unfilled(rec))
	return out
}

// unfilled lists the repeats that were measured before their queue had turned over and made again with a longer ramp, if that was
// completed.
func unfilled(rec *model.Recorded) map[int]bool {
	out, whole := map[int]bool{}, map[string]bool{}
	for _, r := range rec.Run.Steps {
		if !r.Unfilled && r.Error == "" && !r.EndedEarly {
			whole[r.Step.Workload] = true
		}
	}
	for _, r := range rec.Run.Steps {
		if r.Unfilled && whole[r.Step.Workload] {
			out[r.Step.Number] = true
		}
	}
	return out
}
