package results

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// What a run measured for is what --max-time limits: its repeats, each counted once although several workers make it, and
// not the waits between them.
func TestMeasuredSecondsAreThoseOfTheRepeats(t *testing.T) {
	step := func(number int, started, ended float64) model.StepResult {
		return model.StepResult{Step: model.Step{Number: number}, Started: started, Ended: ended}
	}
	steps := []model.StepResult{step(1, 1, 5), step(1, 1, 5.5), step(2, 8, 12), step(3, 20, 23.5)}
	if got := measuredSeconds(steps); got != 12 {
		t.Errorf("%g s, want 12 s", got)
	}
	if got := measuredSeconds(nil); got != 0 {
		t.Errorf("without repeats: %g s", got)
	}
}
