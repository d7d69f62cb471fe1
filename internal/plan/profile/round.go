package profile

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// Round returns the steps of one round: each of the given workloads once, in random order determined by
// the schedule's seed and the round's number (from 1; in the first, read-only workloads come first),
// with step numbers from firstNumber on. It is used both for the certain rounds of a plan and for the
// extra rounds that the engine adds for workloads whose interval is still too wide. It depends on
// nothing else, so a plan can be repeated exactly.
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

// readersFirst puts the read-only workloads before the others. After-effects of writes, such as
// draining caches, then show up in later rounds, in comparison with this one.
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

// offset returns where a sequential workload begins in a round, as a fraction of the volume. Repeats
// that all began at 0 would access the same first blocks, which would still be cached. Multiples of the
// golden ratio are evenly distributed for any number of repeats (a Weyl sequence), and each workload
// has its own starting point. At least half of the volume remains to be accessed. The offset is 0 for
// jobs with an offset increment, which already cover the volume, for appending workloads, which begin
// where nothing was written, and for the user's own jobs, which set their own offset.
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
