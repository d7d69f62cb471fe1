package timeline

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// served is a repeat of two seconds on storage that serves one I/O after the other, at a rate in 1/s, with that many in flight,
// measured after a ramp.
func served(slots int, rate, ramp float64) *model.Recorded {
	w := model.Workload{Name: "reads", Direction: model.Read, Depth: slots}
	rec := &model.Recorded{Plan: model.Plan{Workloads: []model.Workload{w}}}
	rec.Run.Steps = []model.StepResult{{Step: model.Step{Number: 1, Workload: "reads", Ramp: ramp, Seconds: 2}}}
	for second := range 2 {
		f := &model.Flow{}
		from := ramp + float64(second)
		for n := int(from*rate) + 1; float64(n)/rate <= from+1; n++ {
			f.IOs++
			f.LatencySum += math.Min(float64(n), float64(slots)) / rate
		}
		rec.Samples = append(rec.Samples, model.Sample{Step: 1, Seconds: 1, End: from + 1, Read: f})
	}
	return rec
}

func TestHowLongAQueueTakesToTurnOver(t *testing.T) {
	for _, c := range []struct {
		slots           int
		rate, ramp      float64
		seconds, flight float64
		short           bool
	}{
		{64, 20, 0.3, 3.2, 0.42, true},
		{64, 100, 0.3, 0.64, 0.96, true},
		{64, 100, 0.7, 0.64, 1, false},
		{64, 1000, 0.3, 0.064, 1, false},
		{1, 20, 0.3, 0.05, 1, false},
	} {
		rec := served(c.slots, c.rate, c.ramp)
		got := Turnovers(rec, rec.Plan.Workloads[0])[1]
		if math.Abs(got.Seconds/c.seconds-1) > 0.05 || math.Abs(got.Flight-c.flight) > 0.03 || got.Short() != c.short || got.Ramp != c.ramp {
			t.Errorf("%+v: %+v, short %v", c, got, got.Short())
		}
	}
	limited := served(64, 20, 0.3)
	limited.Plan.Workloads[0].RateIOPS = 20
	if got := Turnovers(limited, limited.Plan.Workloads[0]); len(got) > 0 {
		t.Errorf("a workload with a rate keeps no queue full: %+v", got)
	}
}
