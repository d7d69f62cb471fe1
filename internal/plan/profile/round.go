package profile

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// Round returns the steps of one round: each of the given workloads once, in an
// order that is random but fixed by the schedule's seed and the round's number
// (from 1; in the first, those that only read come first), with step numbers from firstNumber on. The certain rounds of a plan
// and the extra rounds that the engine adds for workloads whose interval is
// still too wide come from this one rule. It depends on nothing else, so a plan
// can be repeated exactly.
func Round(p *model.Plan, round int, workloads []model.Workload, firstNumber int) []model.Step {
	s := p.Schedule
	order := rand.New(rand.NewPCG(s.Seed, uint64(round))).Perm(len(workloads))
	steps := make([]model.Step, len(workloads))
	if round == 1 {
		readersFirst(order, workloads)
	}
	for i, k := range order {
		w := workloads[k]
		steps[i] = model.Step{
			Number: firstNumber + i, Round: round, Workload: w.Name,
			Ramp: s.Ramp, Seconds: s.Repeat, Offset: offset(p, w, round),
		}
	}
	return steps
}

// readersFirst puts the workloads that only read before the others. What writes leave
// behind, caches that drain for one, is then seen in later rounds, against this one.
func readersFirst(order []int, workloads []model.Workload) {
	slices.SortStableFunc(order, func(a, b int) int {
		switch wa, wb := workloads[a].Writes(), workloads[b].Writes(); {
		case wa == wb:
			return 0
		case wb:
			return -1
		}
		return 1
	})
}

// offset is where a sequential workload begins in a round, as a fraction of the
// volume. Repeats that all began at 0 would walk the same first blocks, which a
// cache has just seen. The golden ratio's multiples spread evenly at every
// length (a Weyl sequence), and each workload begins its own elsewhere. At least
// half the volume is left to walk over. Jobs that begin apart from each other
// already cover the volume, what is appended begins where nothing was written, and a user's
// own job says itself where it begins.
func offset(p *model.Plan, w model.Workload, round int) float64 {
	if w.Access != model.Sequential || w.OffsetIncrement > 0 || w.Append || w.Job != "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(w.Name))
	start := rand.New(rand.NewPCG(p.Schedule.Seed, h.Sum64())).Float64()
	_, fraction := math.Modf(start + float64(round)*(math.Phi-1))
	return fraction / 2
}
