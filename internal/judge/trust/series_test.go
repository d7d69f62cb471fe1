package trust

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/timeline"
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

// A load generator that was stalled reports one long second: it counts by its length.
func TestLongSecondsCountByTheirLength(t *testing.T) {
	v := timeline.Repeat{Seconds: []timeline.Second{{Begin: 10, End: 15, Tally: timeline.Tally{Seconds: 5}}}}
	for i := range 5 {
		begin := 15 + float64(i)
		v.Seconds = append(v.Seconds, timeline.Second{Begin: begin, End: begin + 1, Tally: timeline.Tally{Seconds: 1, IOs: 1000}})
	}
	var s series
	s.add(v)
	rates, times := s.means()
	if len(rates) != 1 || rates[0] != 500 || times[0] != 15 {
		t.Errorf("%v I/Os per second in the middle of %v s, want 500 and 15", rates, times)
	}
	if r := s.repeatsOf(0, 6)[0]; r.Value != 500 || r.Begin != 10 || r.End != 20 {
		t.Errorf("a repeat of %g I/Os per second from %g to %g s, want 500, 10 and 20", r.Value, r.Begin, r.End)
	}
	if got := s.after(1); got != "5 s" {
		t.Errorf("the second second began after %s, want 5 s", got)
	}
}
