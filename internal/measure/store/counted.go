package store

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// part is what one worker measured of one step.
type part struct{ step, worker int }

// count notes that a sample has arrived.
func (w *Writer) count(s *model.Sample) {
	if w.counted == nil {
		w.counted = map[part]int{}
	}
	w.counted[part{s.Step, s.Worker}]++
}

// counts returns a step's result with the number of its samples.
func (w *Writer) counts(r model.StepResult) model.StepResult {
	p := part{r.Step.Number, r.Worker}
	n := w.counted[p]
	r.Samples = &n
	delete(w.counted, p)
	return r
}

// isCounted reports whether a run says how many samples its steps have; those of before the count was introduced do not.
func isCounted(steps []model.StepResult) bool {
	return len(steps) > 0 && !slices.ContainsFunc(steps, func(s model.StepResult) bool { return s.Samples == nil })
}

// sampleDamage compares the samples with the steps of the run's record, and says in sentences what is wrong with them. A run that
// could not save everything did not end as complete, so only of a complete run is anything missing.
func sampleDamage(rec *model.Recorded) (damage []string) {
	if n := repeatedSamples(rec.Samples); n > 0 {
		damage = append(damage, fmt.Sprintf("%s has %s more than once", samplesFile, units.FormatCount(n, "sample")))
	}
	if !isCounted(rec.Run.Steps) {
		return damage
	}
	have := map[part]int{}
	for i := range rec.Samples {
		have[part{rec.Samples[i].Step, rec.Samples[i].Worker}]++
	}
	complete := rec.Run.Status == model.Complete
	missing, spare, counted := 0, 0, 0
	for _, s := range rec.Run.Steps {
		p := part{s.Step.Number, s.Worker}
		counted += *s.Samples
		missing += max(0, *s.Samples-have[p])
		spare += max(0, have[p]-*s.Samples)
		delete(have, p)
	}
	for _, n := range have {
		// A killed run has samples of the step in which it was killed.
		if complete {
			spare += n
		}
	}
	if complete && missing > 0 {
		damage = append(damage, fmt.Sprintf("%s lacks %d of the %d samples that %s counts", samplesFile, missing, counted, runFile))
	}
	if spare > 0 {
		damage = append(damage, fmt.Sprintf("%s has %s that %s does not count", samplesFile, units.FormatCount(spare, "sample"), runFile))
	}
	return damage
}

// repeatedSamples returns how many samples end at the very moment at which another one of the same worker and step does.
func repeatedSamples(samples []model.Sample) (n int) {
	ends := map[part][]float64{}
	for i := range samples {
		p := part{samples[i].Step, samples[i].Worker}
		ends[p] = append(ends[p], samples[i].End)
	}
	for _, list := range ends {
		slices.SortFunc(list, cmp.Compare)
		for i := 1; i < len(list); i++ {
			if list[i] == list[i-1] {
				n++
			}
		}
	}
	return n
}
