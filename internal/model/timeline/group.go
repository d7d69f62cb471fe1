package timeline

import (
	"math"

	"github.com/loadline/loadline/internal/model"
)

// Group is one repeat of the workers that ran a workload together.
type Group struct {
	Step model.Step
	// Workers are the samples of each worker, in time order.
	Workers map[int][]*model.Sample
	// Results are the workers' final results.
	Results []model.StepResult
}

// Groups lists the repeats of a workload in which no worker failed, in the order of their numbers.
// Repeats without any samples are left out.
func Groups(r *model.Recorded, workload string) []Group {
	var list []Group
	at, failed := map[int]int{}, map[int]bool{}
	for _, s := range r.Run.Steps {
		if s.Step.Workload != workload {
			continue
		}
		i, known := at[s.Step.Number]
		if !known {
			i = len(list)
			at[s.Step.Number] = i
			list = append(list, Group{Step: s.Step, Workers: map[int][]*model.Sample{}})
		}
		list[i].Results = append(list[i].Results, s)
		failed[s.Step.Number] = failed[s.Step.Number] || s.Error != ""
	}
	for i := range r.Samples {
		s := &r.Samples[i]
		if k, known := at[s.Step]; known && s.Seconds > 0 {
			list[k].Workers[s.Worker] = append(list[k].Workers[s.Worker], s)
		}
	}
	kept := list[:0]
	for _, c := range list {
		if !failed[c.Step.Number] && len(c.Workers) > 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// Common is the window in which all workers of the group were measured, in seconds since the run began;
// to may be before from.
func (c *Group) Common() (from, to float64) {
	from, to = math.Inf(-1), math.Inf(1)
	for _, list := range c.Workers {
		from = math.Max(from, list[0].Begin())
		to = math.Min(to, list[len(list)-1].End)
	}
	return from, to
}

// StartSpread is the time in seconds between the starts of the first and of the last worker's
// measurement.
func (c *Group) StartSpread() float64 {
	first, last := math.Inf(1), math.Inf(-1)
	for _, list := range c.Workers {
		begin := list[0].Begin()
		first, last = math.Min(first, begin), math.Max(last, begin)
	}
	return last - first
}

// Rates returns each worker's rate in one direction in the group's common window, in I/Os and bytes per
// second, by the number of the worker. A sample that lies partly in the window counts with that part.
func (c *Group) Rates(d model.Direction) (ios, bytes map[int]float64) {
	from, to := c.Common()
	ios, bytes = map[int]float64{}, map[int]float64{}
	for worker, list := range c.Workers {
		covered := 0.0
		for _, s := range list {
			seconds := s.Within(from, to)
			covered += seconds
			if f := s.Flow(d); f != nil {
				ios[worker] += float64(f.IOs) * seconds / s.Seconds
				bytes[worker] += float64(f.Bytes) * seconds / s.Seconds
			}
		}
		if covered > 0 {
			ios[worker] /= covered
			bytes[worker] /= covered
		}
	}
	return ios, bytes
}
