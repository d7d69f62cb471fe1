package timeline

import (
	"maps"
	"math"

	"github.com/loadline/loadline/internal/model"
)

// Good returns the samples of steps that did not fail, by workload, excluding the left-out steps. A
// step that has not ended (the run was killed during it) counts with the samples that it has.
func Good(rec *model.Recorded, out map[int]bool) map[string][]model.Sample {
	workload := map[int]string{}
	planned := map[int]model.Step{}
	for _, s := range rec.Plan.Steps {
		workload[s.Number], planned[s.Number] = s.Workload, s
	}
	for _, r := range rec.Run.Steps {
		if workload[r.Step.Number] != r.Step.Workload {
			// A repeat was made again or abandoned: an incomplete step is not the planned one.
			clear(workload)
			break
		}
	}
	for _, r := range rec.Run.Steps {
		workload[r.Step.Number] = r.Step.Workload
		delete(planned, r.Step.Number)
	}
	for i := range rec.Samples {
		// A long repeat that was not planned takes the next number.
		if s := &rec.Samples[i]; s.Look {
			if p, unfinished := planned[s.Step]; unfinished && !p.Look {
				delete(workload, s.Step)
			}
		}
	}
	for _, r := range rec.Run.Steps {
		if r.Error != "" {
			delete(workload, r.Step.Number)
		}
	}
	if rec.Steps != nil {
		workload = maps.Clone(rec.Steps)
	}
	for step := range out {
		delete(workload, step)
	}
	count := map[string]int{}
	for i := range rec.Samples {
		count[workload[rec.Samples[i].Step]]++
	}
	good := make(map[string][]model.Sample, len(count))
	for i := range rec.Samples {
		name, ok := workload[rec.Samples[i].Step]
		if !ok {
			continue
		}
		if good[name] == nil {
			good[name] = make([]model.Sample, 0, count[name])
		}
		good[name] = append(good[name], rec.Samples[i])
	}
	return good
}

// Looks returns the step numbers of the long repeats.
func Looks(rec *model.Recorded) map[int]bool {
	looks := map[int]bool{}
	for _, r := range rec.Run.Steps {
		if r.Step.Look {
			looks[r.Step.Number] = true
		}
	}
	return looks
}

// Counted returns those of a workload's good samples that its results are made of: of a long repeat, as
// many seconds as a normal repeat has; if the rate fell in one, only its final plateau. said are the
// findings of the long repeats for each direction; nil if there were none.
func Counted(good []model.Sample, looks map[int]bool, s model.Schedule, said []*model.Sustained) []model.Sample {
	if len(looks) == 0 {
		return good
	}
	step, from := 0, 0.0
	for _, d := range said {
		switch {
		case !d.Fallen():
		case d.Step == step:
			from = math.Max(from, d.From)
		default:
			step, from = d.Step, d.From
		}
	}
	repeat := int(math.Round(s.Repeat))
	seen := map[[2]int]int{}
	kept := make([]model.Sample, 0, len(good))
	for _, x := range good {
		k := [2]int{x.Step, x.Worker}
		seen[k]++
		level := x.Step == step && x.End-x.Seconds/2 > from
		if level || step == 0 && (!looks[x.Step] || seen[k] <= repeat) {
			kept = append(kept, x)
		}
	}
	return kept
}

// SplitLooks separates the samples of a workload that count from those of long repeats that do not: of a long repeat, each
// worker's first seconds count, as many as a repeat has.
func SplitLooks(samples []model.Sample, repeat float64) (counted, beyond []model.Sample) {
	seen := map[[2]int]int{}
	for _, x := range samples {
		k := [2]int{x.Step, x.Worker}
		if seen[k]++; x.Look && seen[k] > int(math.Round(repeat)) {
			beyond = append(beyond, x)
		} else {
			counted = append(counted, x)
		}
	}
	return counted, beyond
}
