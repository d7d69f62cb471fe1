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

// Of a long repeat, each worker's first seconds count; of another one, all do.
func TestSplitLooks(t *testing.T) {
	var samples []model.Sample
	for step, seconds := range []int{3, 6} {
		for second := range seconds {
			for worker := range 2 {
				samples = append(samples, model.Sample{Step: step + 1, Worker: worker, End: float64(second), Look: step == 1})
			}
		}
	}
	counted, beyond := SplitLooks(samples, 2)
	if len(counted) != 3*2+2*2 || len(beyond) != 4*2 {
		t.Fatalf("%d count, %d do not", len(counted), len(beyond))
	}
	for _, x := range beyond {
		if !x.Look || x.End < 2 {
			t.Errorf("%+v does not count", x)
		}
	}
}
