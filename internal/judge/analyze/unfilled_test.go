package analyze

import (
	"slices"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A repeat that was made again is in no figure, if the other one was completed; whatever else is as slow stays.
func TestARepeatThatWasMadeAgainIsLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		change func(steps []model.StepResult)
		out    []int
	}{
		"made again":          {func([]model.StepResult) {}, []int{1}},
		"and again broken":    {func(steps []model.StepResult) { steps[1].EndedEarly, steps[2].Error = true, "killed" }, nil},
		"of an earlier build": {func(steps []model.StepResult) { steps[0].Unfilled = false }, nil},
	} {
		w := model.Workload{Name: "reads", Direction: model.Read, Depth: 64, Metric: model.IOPS}
		rec := &model.Recorded{Plan: model.Plan{Workloads: []model.Workload{w}, Schedule: model.Schedule{Mode: model.Rounds, Repeat: 2}}}
		for number := 1; number <= 3; number++ {
			step := model.Step{Number: number, Round: number, Workload: "reads", Ramp: 0.3, Seconds: 2}
			rec.Run.Steps = append(rec.Run.Steps, model.StepResult{Step: step, Unfilled: number == 1, Started: 10 * float64(number)})
			for second := range 2 {
				// The first I/Os of the queue wait half as long.
				latency := 3.2
				if number == 1 {
					latency = 1.6
				}
				rec.Samples = append(rec.Samples, model.Sample{Step: number, Seconds: 1, End: 10*float64(number) + float64(second) + 1.3, Read: &model.Flow{IOs: 20, LatencySum: 20 * latency}})
			}
		}
		c.change(rec.Run.Steps)
		r := Results(rec)[0]
		if !slices.Equal(r.LeftOut, c.out) {
			t.Errorf("%s: %v are left out, want %v", name, r.LeftOut, c.out)
		}
		if waits := r.Metrics[model.Latency].Value; name == "made again" && (waits < 3.19 || waits > 3.21) {
			t.Errorf("%s: %g s, want those of the other repeats", name, waits)
		}
	}
}
