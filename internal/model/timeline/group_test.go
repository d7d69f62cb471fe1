package timeline

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// two is a repeat of two workers of 100 IOPS each, the second half a second later.
func two() *model.Recorded {
	r := &model.Recorded{Run: model.Run{Steps: []model.StepResult{
		{Step: model.Step{Number: 1, Workload: "x2", Ramp: 1, Seconds: 3}, Worker: 0},
		{Step: model.Step{Number: 1, Workload: "x2", Ramp: 1, Seconds: 3}, Worker: 1, Delay: .5},
		{Step: model.Step{Number: 2, Workload: "x2"}, Worker: 0},
		{Step: model.Step{Number: 2, Workload: "x2"}, Worker: 1, Error: "Input/output error"},
		{Step: model.Step{Number: 3, Workload: "other"}},
	}}}
	for worker := range 2 {
		for i := range 3 {
			end := 2 + float64(i) + .5*float64(worker)
			r.Samples = append(r.Samples, model.Sample{Step: 1, Worker: worker, Seconds: 1, End: end, Read: &model.Flow{IOs: uint64(100 + 100*worker), Bytes: 4096 * uint64(100+100*worker)}},
				model.Sample{Step: 2, Worker: worker, Seconds: 1, End: 10 + end, Read: &model.Flow{IOs: 1}})
		}
	}
	return r
}

func TestAGroupIsWhatRanTogether(t *testing.T) {
	groups := Groups(two(), "x2")
	if len(groups) != 1 || len(groups[0].Workers) != 2 || len(groups[0].Results) != 2 {
		t.Fatalf("%+v, want the repeat in which nobody failed", groups)
	}
	c := groups[0]
	if from, to := c.Common(); from != 1.5 || to != 4 {
		t.Errorf("common from %g to %g, want 1.5 to 4", from, to)
	}
	if got := c.StartSpread(); got != .5 {
		t.Errorf("the starts lie %g s apart, want 0.5", got)
	}
	ios, bytes := c.Rates(model.Read)
	if math.Abs(ios[0]-100) > 1e-9 || math.Abs(ios[1]-200) > 1e-9 || math.Abs(bytes[1]-200*4096) > 1e-6 {
		t.Errorf("%v I/Os and %v bytes per second", ios, bytes)
	}
}
