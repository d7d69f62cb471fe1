package analyze_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

var readers = model.Workload{Name: "reads", Direction: model.Read, BlockSize: 4096, Depth: 16, Metric: model.IOPS}

// lookedAt extends the last block of a side to a long repeat, with the given rate in each second.
func lookedAt(rec *model.Recorded, rates ...float64) *model.Recorded {
	rec.Plan.Schedule.Mode, rec.Plan.Schedule.Repeat, rec.Plan.Schedule.Look, rec.Plan.Schedule.Looks = model.Rounds, 3, 20, 1
	last := &rec.Run.Steps[len(rec.Run.Steps)-1].Step
	last.Look = true
	end := rec.Samples[len(rec.Samples)-1].End
	for i, rate := range rates {
		rec.Samples = append(rec.Samples, model.Sample{Step: last.Number, End: end + float64(i+1), Seconds: 1, Read: flowOf(uint64(rate), 1/rate)})
	}
	return rec
}

func times(n int, rate float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = rate
	}
	return list
}

// A burst is not a difference between two sides with equal sustained rates, and a difference in
// sustained rates is found behind equal bursts.
func TestSustainedRatesAreCompared(t *testing.T) {
	for _, c := range []struct {
		name  string
		a, b  *model.Recorded
		ratio float64
		want  model.Change
	}{
		{"a burst and none", lookedAt(sideOf(model.SideA, readers, 500, 501, 500, 499), times(17, 500)...),
			lookedAt(sideOf(model.SideB, readers, 2000, 2001, 2002, 2000), append(times(5, 2000), times(12, 500)...)...), 1, model.Same},
		{"unequal behind equal bursts", lookedAt(sideOf(model.SideA, readers, 2000, 2001, 2002, 2000), append(times(5, 2000), times(12, 500)...)...),
			lookedAt(sideOf(model.SideB, readers, 2000, 2001, 2002, 2000), append(times(5, 2000), times(12, 250)...)...), 0.5, model.Worse},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := row(t, compare(c.a, c.b), model.IOPS)
			if r.Verdict != c.want || math.Abs(r.Ratio.Value/c.ratio-1) > 0.01 || !r.Sustained || len(r.Changes) != 0 || r.Needed != 0 {
				t.Errorf("%s by %g: %+v", r.Verdict, r.Ratio.Value, r)
			}
		})
	}
}

// If the rate of a long repeat does not fall, the seconds of a normal repeat count in its block.
func TestALookThatHeldIsABlock(t *testing.T) {
	rates := [2][]float64{{1000, 1010, 990, 1003}, {1100, 1095, 1111, 1104}}
	plain := compare(sideOf(model.SideA, readers, rates[0]...), sideOf(model.SideB, readers, rates[1]...))
	looked := compare(lookedAt(sideOf(model.SideA, readers, rates[0]...), times(17, 1000)...), lookedAt(sideOf(model.SideB, readers, rates[1]...), times(17, 1101)...))
	if diff := cmp.Diff(plain.Rows, looked.Rows); diff != "" {
		t.Errorf("a look changed the rows:\n%s", diff)
	}
}
