package timeline

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Two workers share 2000 reads per second, and the second begins two seconds later: what each of them
// reads alone is no part of the rate of both.
func TestReadRatesAreThoseOfWorkersTogether(t *testing.T) {
	rec := &model.Recorded{}
	for worker, begin := range []float64{0, 2} {
		for i := range 10 {
			from := begin + float64(i)
			reads := uint64(1000)
			if from < 2 || from >= 10 {
				reads = 2000
			}
			rec.Samples = append(rec.Samples, model.Sample{Step: 3, Worker: worker, Seconds: 1, End: from + 1, Read: &model.Flow{IOs: reads}})
		}
	}
	rec.Samples = append(rec.Samples,
		model.Sample{Step: 4, Seconds: 1, End: 21, Read: &model.Flow{IOs: 5}},
		model.Sample{Step: 5, Seconds: 1, End: 31, Read: &model.Flow{IOs: 600}},
		model.Sample{Step: 5, Seconds: 2, End: 33})
	rates := ReadRates(rec, map[int]bool{3: true, 5: true})
	if len(rates) != 2 || math.Abs(rates[0]-2000) > 1e-6 || rates[1] != 200 {
		t.Errorf("%v reads per second, want 2000 of two workers and 200 of one", rates)
	}
}

// Of a long repeat, the seconds that make up a result are read: its slow beginning is as large a part of them as of a short one.
func TestReadRatesOfALongRepeatAreThoseOfItsBeginning(t *testing.T) {
	rec := &model.Recorded{}
	rec.Plan.Schedule.Repeat = 2
	rec.Run.Steps = []model.StepResult{{Step: model.Step{Number: 1, Look: true}}}
	for i := range 20 {
		reads := uint64(1000)
		if i < 2 {
			reads = 500
		}
		rec.Samples = append(rec.Samples, model.Sample{Step: 1, Seconds: 1, End: float64(i + 1), Read: &model.Flow{IOs: reads}})
	}
	if rates := ReadRates(rec, map[int]bool{1: true}); len(rates) != 1 || rates[0] != 500 {
		t.Errorf("%v reads per second, want 500", rates)
	}
}
