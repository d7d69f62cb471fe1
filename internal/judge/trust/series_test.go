package trust

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// Two workers share 2,000 I/Os per second, and one begins two seconds later: the storage's rate is
// constant, however many samples they have.
func TestSecondsOfWorkersThatBeginApartAreAddedByTime(t *testing.T) {
	w := model.Workload{Name: "w", Direction: model.Read, Access: model.Random, BlockSize: 4096, Depth: 1, Metric: model.IOPS, Volumes: 2}
	rec := &model.Recorded{Plan: model.Plan{Workloads: []model.Workload{w}, Schedule: model.Schedule{Mode: model.Fixed, Repeat: 30, MinRounds: 1}}}
	for worker, begin := range []float64{0, 2} {
		rec.Run.Steps = append(rec.Run.Steps, model.StepResult{Step: model.Step{Number: 1, Workload: "w", Seconds: 30}, Worker: worker})
		for i := range 30 {
			from, to := begin+float64(i), begin+float64(i)+1
			alone := math.Max(0, math.Min(to, 2)-from) + math.Max(0, to-math.Max(from, 30))
			ios := uint64(math.Round(2000*alone + 1000*(1-alone)))
			f := model.Flow{IOs: ios, Bytes: 4096 * ios, LatencySum: 1}
			f.Histogram.Add(histogram.BucketOf(1_000_000), ios)
			rec.Samples = append(rec.Samples, model.Sample{Step: 1, Worker: worker, Seconds: 1, End: to, Read: &f})
		}
	}
	ev := Evidence{Recorded: rec, Results: []model.Result{{Workload: "w", Direction: model.Read, Metric: model.IOPS}}}
	list := ev.allSeries()
	if len(list) != 1 || len(list[0].rate) != 28 {
		t.Fatalf("%+v, want the 28 seconds in which both ran", list)
	}
	for i, v := range list[0].rate {
		if math.Abs(v-2000) > 1 {
			t.Errorf("second %d: %.0f/s", i, v)
		}
	}
}
