package trust

import (
	"github.com/loadline/loadline/internal/model"
)

// beyond is how far a bound must lie beyond the baseline's: below that, two measurements of one disk
// may differ by chance and over time.
const beyond = 0.05

// noBaseline is why a rule about the underlying storage does not apply.
const noBaseline = "there is no baseline: measure the storage that the target is built on (--baseline)"

// below returns the baseline's result for the same workload and direction.
func (s *Side) below(r model.Result) (model.Result, bool) {
	for _, b := range s.Results {
		if b.Workload == r.Workload && b.Direction == r.Direction && b.Verdict != model.Invalid {
			return b, true
		}
	}
	return model.Result{}, false
}

// beats reports whether the interval of a lies wholly on the better side of b's, and 5 % beyond.
// Estimates without an interval never do.
func beats(m model.Metric, a, b model.Estimate) bool {
	if a.Confidence == 0 || b.Confidence == 0 {
		return false
	}
	if m.LowerIsBetter() {
		return a.High < b.Low/(1+beyond)
	}
	return a.Low > b.High*(1+beyond)
}

// large is a size that a cache in RAM cannot hold: four times the machine's RAM, or a typical one's.
func (ev Evidence) large() int64 {
	if ram := ev.Recorded.Environment.Memory; ram > 0 {
		return (4*ram + 1<<30 - 1) >> 30 << 30
	}
	return 64 << 30
}
