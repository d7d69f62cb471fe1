package trust

import (
	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/timeline"
)

// series is the record of one workload in one direction, second by second in time order, over all of
// its good repeats.
type series struct {
	workload  string
	direction model.Direction
	// rate is the I/Os per second in each second, begin and end are when the second began and ended, in
	// seconds since the run began, repeat is the repeat it belongs to (from 0). A second is not always
	// one second long: a load generator that was stalled reports late.
	rate, begin, end []float64
	repeat           []int
	// bytes is the cumulative bytes moved up to the end of each second.
	bytes []float64
	// latencies are those of each second, one histogram per worker that had any.
	latencies [][]*histogram.Histogram
	// repeats is the number of repeats.
	repeats int
	// counting is how the I/Os were counted.
	counting stats.Counting
	// untilSteady is set if its first seconds are no part of the result where they differ.
	untilSteady bool
}

// allSeries collects the series of all results, in their order. The workers of a repeat are added up
// second by second; seconds that not all of them have are left out.
func (ev Evidence) allSeries() []series {
	out, said := map[int]bool{}, map[string][]*model.Sustained{}
	for _, r := range ev.Results {
		said[r.Workload] = append(said[r.Workload], r.Sustained)
		for _, step := range r.LeftOut {
			out[step] = true
		}
	}
	good, looks := timeline.Good(ev.Recorded, out), timeline.Looks(ev.Recorded)
	var list []series
	for _, r := range ev.Results {
		if r.Direction == model.Sync {
			continue
		}
		s := series{workload: r.Workload, direction: r.Direction, untilSteady: ev.Recorded.Plan.Schedule.Mode == model.Steady}
		if w, known := ev.Recorded.Plan.Workload(r.Workload); known {
			s.counting = stats.Counting{Workers: w.VolumeCount(), Random: w.OpenLoop}
		}
		for _, v := range timeline.Of(timeline.Counted(good[r.Workload], looks, ev.Recorded.Plan.Schedule, said[r.Workload]), r.Direction) {
			s.add(v)
		}
		if len(s.rate) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// add appends the seconds of a repeat.
func (s *series) add(v timeline.Repeat) {
	moved := 0.0
	if n := len(s.bytes); n > 0 {
		moved = s.bytes[n-1]
	}
	for i := range v.Seconds {
		x := &v.Seconds[i]
		moved += x.Bytes
		s.rate, s.bytes = append(s.rate, x.Value(model.IOPS)), append(s.bytes, moved)
		s.begin, s.end = append(s.begin, x.Begin), append(s.end, x.End)
		s.repeat, s.latencies = append(s.repeat, s.repeats), append(s.latencies, x.Histograms)
	}
	s.repeats++
}

// long reports whether the series is one unbroken repeat.
func (s *series) long() bool { return s.repeats == 1 }

// ios is the sum of the rates of all seconds.
func (s *series) ios() (sum float64) {
	for _, v := range s.rate {
		sum += v
	}
	return sum
}

// moved is how many bytes were moved.
func (s *series) moved() float64 { return s.bytes[len(s.bytes)-1] }

// block is the mean number of bytes of an I/O.
func (s *series) block() float64 { return s.moved() / s.ios() }

// mean is the mean rate of seconds i to j-1: their I/Os divided by their time, as in the results.
func (s *series) mean(i, j int) float64 {
	var ios, seconds float64
	for ; i < j; i++ {
		length := s.end[i] - s.begin[i]
		ios += s.rate[i] * length
		seconds += length
	}
	return ios / seconds
}

// middle is the middle of the time from the begin of second i to the end of second j-1.
func (s *series) middle(i, j int) float64 { return (s.begin[i] + s.end[j-1]) / 2 }

// means are the mean rates of the repeats, and the midpoints of their times.
func (s *series) means() (rates, times []float64) {
	for i := 0; i < len(s.rate); {
		j := i
		for j < len(s.rate) && s.repeat[j] == s.repeat[i] {
			j++
		}
		rates, times = append(rates, s.mean(i, j)), append(times, s.middle(i, j))
		i = j
	}
	return rates, times
}
