package analyze

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// Two loops of load and pause that are out of step: the sum of their means includes what each did while
// the other paused; the sum over their common seconds does not.
func TestATotalIsNotASumOfMeans(t *testing.T) {
	w := model.Workload{Name: "read-x2", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 8, Volumes: 2, Metric: model.IOPS, RateIOPS: 1200}
	rec := &model.Recorded{Plan: model.Plan{
		Experiment: model.Experiment{Scale: &model.ScaleRequest{Volumes: []int{2}, Workload: "read"}}, Workloads: []model.Workload{w},
		Volumes: []model.Volume{{Node: "a"}, {Node: "b"}}, Schedule: model.Schedule{Mode: model.Rounds, MinRounds: 2, Precision: .05},
	}}
	for step := 1; step <= 4; step++ {
		for worker := range 2 {
			rec.Run.Steps = append(rec.Run.Steps, model.StepResult{Step: model.Step{Number: step, Workload: w.Name, Seconds: 5}, Worker: worker})
			for second := range 5 {
				// The storage has 2,000 IOPS. Each worker is alone for one second: the first or the
				// last.
				ios := uint64(1000)
				if worker == 0 && second == 0 || worker == 1 && second == 4 {
					ios = 2000
				}
				f := &model.Flow{IOs: ios, Bytes: ios * 4096, LatencySum: 8}
				f.Histogram.Add(histogram.BucketOf(uint64(8e9/float64(ios))), ios)
				rec.Samples = append(rec.Samples, model.Sample{Step: step, Worker: worker, Seconds: 1, End: 20*float64(step) + float64(second+worker), Read: f})
			}
		}
	}
	results := Results(rec)
	results[0].Verdict = model.Suspect
	scales := Scales(rec, results)
	if len(scales) != 1 || len(scales[0].Points) != 1 || scales[0].Workload != "read" || scales[0].Depth != 8 {
		t.Fatalf("%+v", scales)
	}
	p := scales[0].Points[0]
	if math.Abs(p.Total.Value-2000) > 1 || math.Abs(p.PerVolume.Value-1000) > 1 {
		t.Errorf("%g in all and %g each, want 2000 and 1000", p.Total.Value, p.PerVolume.Value)
	}
	if p.Fairness < .9999 || math.Abs(p.StartSpread-1) > 1e-9 || p.Nodes != 2 || p.Offered != 1200 || p.Verdict != model.Suspect || p.Result != w.Name || p.Device != nil {
		t.Errorf("%+v", p)
	}
	if len(p.Each) != 2 || math.Abs(p.Each[0]-1000) > 1 {
		t.Errorf("each has %v", p.Each)
	}
	if Scales(&model.Recorded{}, results) != nil {
		t.Error("a run of one volume is not a scale")
	}
}
