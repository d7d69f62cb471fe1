package timeline

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// killed is a run that was killed during step 3, which is planned for writes.
func killed(look, plannedLook bool) *model.Recorded {
	r := &model.Recorded{Run: model.Run{Steps: []model.StepResult{
		{Step: model.Step{Number: 1, Workload: "writes"}}, {Step: model.Step{Number: 2, Workload: "reads"}},
	}}}
	for number, name := range map[int]string{1: "writes", 2: "reads", 3: "writes", 4: "reads"} {
		r.Plan.Steps = append(r.Plan.Steps, model.Step{Number: number, Workload: name, Look: number == 3 && plannedLook})
	}
	for step := range 3 {
		r.Samples = append(r.Samples, model.Sample{Step: step + 1, Seconds: 1, Look: look && step == 2})
	}
	return r
}

// The seconds of a step without a result belong to the planned step of that number, unless they are those of a long
// repeat that was not planned: it may have been of another workload.
func TestTheSecondsOfAKilledRun(t *testing.T) {
	for _, c := range []struct {
		name              string
		look, plannedLook bool
		writes            int
	}{{"a planned repeat", false, false, 2}, {"a planned long repeat", true, true, 2}, {"a long repeat that was not planned", true, false, 1}} {
		good := Good(killed(c.look, c.plannedLook), nil)
		if len(good["writes"]) != c.writes || len(good["reads"]) != 1 {
			t.Errorf("%s: %d seconds of writes, not %d, and %d of reads", c.name, len(good["writes"]), c.writes, len(good["reads"]))
		}
	}
}
