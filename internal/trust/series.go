package trust

import (
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/stats"
)

// series is what one workload did in one direction, second by second in the
// order of time, over all of its good visits.
type series struct {
	workload  string
	direction model.Direction
	// rate is in I/Os per second, of each second; end is when it ended, visit
	// which visit it belongs to (from 0).
	rate, end []float64
	visit     []int
	// bytes is what was moved up to the end of each second.
	bytes []float64
	// latencies are those of each second, of each worker that had some.
	latencies [][]*model.Histogram
	// visits is the number of visits.
	visits int
}

// allSeries gathers the series of all results, in their order. The workers of a
// visit are added up second by second; seconds that not all of them have are
// left out.
func (ev Evidence) allSeries() []series {
	var list []series
	byStep := map[int][]*model.Sample{}
	for i := range ev.Recorded.Samples {
		s := &ev.Recorded.Samples[i]
		byStep[s.Step] = append(byStep[s.Step], s)
	}
	for _, r := range ev.Results {
		if r.Direction == model.Sync {
			continue
		}
		s := series{workload: r.Workload, direction: r.Direction}
		for _, step := range firstOfEach(ev.good(r.Workload)) {
			s.add(ev.counted(r, step.Step, byStep[step.Step.Number]))
		}
		if len(s.rate) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// counted are the samples of a step that the result is made of: of a look those of a visit,
// or where the rate fell in it, those of its level end and no others.
func (ev Evidence) counted(r model.Result, step model.Step, samples []*model.Sample) []*model.Sample {
	fell := r.Sustained != nil && (r.Sustained.Lasting == model.Fell || r.Sustained.Lasting == model.FellUnsteady)
	if !fell && !step.Look {
		return samples
	}
	visit := int(math.Round(ev.Recorded.Plan.Schedule.Visit))
	seen := map[int]int{}
	var list []*model.Sample
	for _, x := range samples {
		seen[x.Worker]++
		if fell && step.Number == r.Sustained.Step && x.End-x.Seconds/2 > r.Sustained.From || !fell && seen[x.Worker] <= visit {
			list = append(list, x)
		}
	}
	return list
}

// firstOfEach keeps one result of each step: several workers share a step.
func firstOfEach(steps []model.StepResult) []model.StepResult {
	var list []model.StepResult
	seen := map[int]bool{}
	for _, s := range steps {
		if !seen[s.Step.Number] {
			seen[s.Step.Number] = true
			list = append(list, s)
		}
	}
	return list
}

// add appends the seconds of a visit.
func (s *series) add(samples []*model.Sample) {
	workers := map[int][]*model.Sample{}
	shortest := math.MaxInt
	for _, x := range samples {
		workers[x.Worker] = append(workers[x.Worker], x)
	}
	for _, list := range workers {
		shortest = min(shortest, len(list))
	}
	if len(workers) == 0 {
		return
	}
	moved := 0.0
	if n := len(s.bytes); n > 0 {
		moved = s.bytes[n-1]
	}
	for i := range shortest {
		var rate, end float64
		latencies := make([]*model.Histogram, 0, len(workers))
		for _, list := range workers {
			x := list[i]
			end = max(end, x.End)
			if f := x.Flow(s.direction); f != nil && x.Seconds > 0 {
				rate += float64(f.IOs) / x.Seconds
				moved += float64(f.Bytes)
				latencies = append(latencies, &f.Histogram)
			}
		}
		s.rate, s.end, s.bytes = append(s.rate, rate), append(s.end, end), append(s.bytes, moved)
		s.visit, s.latencies = append(s.visit, s.visits), append(s.latencies, latencies)
	}
	s.visits++
}

// long tells whether the series is one unbroken visit.
func (s *series) long() bool { return s.visits == 1 }

// means are the mean rates of the visits, and the middles of their times.
func (s *series) means() (rates, times []float64) {
	for i := 0; i < len(s.rate); {
		j := i
		for j < len(s.rate) && s.visit[j] == s.visit[i] {
			j++
		}
		rates, times = append(rates, stats.Mean(s.rate[i:j])), append(times, (s.end[i]-1+s.end[j-1])/2)
		i = j
	}
	return rates, times
}

// batches are the mean rates of k stretches of about the same length, and the
// middles of their times.
func (s *series) batches(k int) (rates, times []float64) {
	for i := range k {
		a, b := i*len(s.rate)/k, (i+1)*len(s.rate)/k
		rates, times = append(rates, stats.Mean(s.rate[a:b])), append(times, (s.end[a]-1+s.end[b-1])/2)
	}
	return rates, times
}
