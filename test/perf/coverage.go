package perf

import (
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
)

// Coverage is the result of the intervals of many simulated runs on one storage.
type Coverage struct {
	Runs, Stopped, Repeats int
	// Seconds is the measured time and Half the relative half-width of the rate,
	// summed over the runs.
	Seconds, Half float64
	// Covered counts the runs whose interval contained the truth, Shown those
	// that had an interval, by metric.
	Covered, Shown map[model.Metric]int
}

// Share returns the share of the published intervals that contained the truth.
func (c Coverage) Share(m model.Metric) float64 { return float64(c.Covered[m]) / float64(c.Shown[m]) }

// Measure runs the real judge and the real analysis on a storage, runs
// times, as the engine would: in one repeat, until the judge is satisfied or its time is up.
func Measure(s Storage, schedule model.Schedule, runs int) Coverage {
	c := Coverage{Runs: runs, Covered: map[model.Metric]int{}, Shown: map[model.Metric]int{}}
	w := model.Workload{Name: "w", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 32, Metric: model.IOPS}
	truth := s.Truth()
	for seed := range runs {
		v := NewRepeats(s, uint64(seed))
		for v.measured() < schedule.MaxTime {
			if stopped := v.repeat(w, schedule); stopped {
				c.Stopped++
				break
			}
		}
		rec := &model.Recorded{Samples: v.Samples}
		rec.Plan.Workloads, rec.Plan.Schedule = []model.Workload{w}, schedule
		for i := range v.step {
			rec.Run.Steps = append(rec.Run.Steps, model.StepResult{Step: model.Step{Number: i + 1, Workload: "w"}})
		}
		r := analyze.Results(rec)[0]
		c.Repeats += r.Repeats
		c.Seconds += v.measured()
		c.Half += r.HalfWidth()
		for m, value := range truth {
			e, ok := r.Metrics[m]
			if !ok || e.Confidence == 0 {
				continue
			}
			c.Shown[m]++
			if e.Low <= value && value <= e.High {
				c.Covered[m]++
			}
		}
	}
	return c
}

// repeat simulates one step; in steady mode the judge is asked every five seconds,
// otherwise at the end.
func (v *Repeats) repeat(w model.Workload, s model.Schedule) bool {
	judge := func() bool {
		return analyze.Judge{}.Judge(&model.Plan{Workloads: []model.Workload{w}, Schedule: s}, w, map[string][]model.Sample{"w": v.Samples}).Converged
	}
	v.begin()
	for n := 1; n <= int(s.Repeat); n++ {
		v.second()
		if s.Mode == model.Steady && n%5 == 0 && judge() {
			return true
		}
	}
	return false
}

func (v *Repeats) measured() float64 { return float64(len(v.Samples)) }
