package timeline

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// Second is one second of one direction, from Begin to End in seconds since the run began, summed over
// the workers.
type Second struct {
	Begin, End float64
	Tally
}

// Tally holds sums over some time, from which rates and means are computed.
type Tally struct {
	// Seconds is that time, Latency the sum of all latencies and Max the longest, in seconds.
	Seconds    float64
	IOs, Bytes float64
	Latency    float64
	Max        float64
	Histograms []*histogram.Histogram
}

// Add adds the sums of another time.
func (t *Tally) Add(o Tally) {
	t.Seconds += o.Seconds
	t.IOs += o.IOs
	t.Bytes += o.Bytes
	t.Latency += o.Latency
	t.Max = math.Max(t.Max, o.Max)
	t.Histograms = append(t.Histograms, o.Histograms...)
}

// Merge replaces the histograms by their sum, which is returned.
func (t *Tally) Merge() *histogram.Histogram {
	var h histogram.Histogram
	for _, o := range t.Histograms {
		h.Merge(*o)
	}
	t.Histograms = []*histogram.Histogram{&h}
	return &h
}

// Value is the metric of a tally; NaN if nothing was counted.
func (t *Tally) Value(m model.Metric) float64 {
	switch m {
	case model.IOPS, model.Transactions:
		return t.IOs / t.Seconds
	case model.Bandwidth:
		return t.Bytes / t.Seconds
	case model.Latency:
		return t.Latency / t.IOs
	}
	if len(t.Histograms) != 1 {
		t.Merge()
	}
	p, _ := m.Percentile()
	return t.Histograms[0].PercentileUpTo(p, t.Max)
}

// Repeat is one step of one direction, second by second.
type Repeat struct {
	Step    int
	Seconds []Second
}

// Of groups samples by step, then by worker, and sums the workers second by second over their common
// window. Repeats are in the order of the samples.
func Of(samples []model.Sample, d model.Direction) []Repeat {
	var groups []Group
	at := map[int]int{}
	for i := range samples {
		s := &samples[i]
		if !(s.Seconds > 0) {
			continue
		}
		j, known := at[s.Step]
		if !known {
			j = len(groups)
			at[s.Step] = j
			groups = append(groups, Group{Step: model.Step{Number: s.Step}, Workers: map[int][]*model.Sample{}})
		}
		groups[j].Workers[s.Worker] = append(groups[j].Workers[s.Worker], s)
	}
	repeats := make([]Repeat, 0, len(groups))
	for i := range groups {
		v := Repeat{Step: groups[i].Step.Number, Seconds: groups[i].seconds(d)}
		if len(v.Seconds) > 0 {
			repeats = append(repeats, v)
		}
	}
	return repeats
}

// seconds is what a group did in one direction.
func (c *Group) seconds(d model.Direction) []Second {
	if len(c.Workers) > 1 {
		return c.together(d)
	}
	for _, list := range c.Workers {
		return alone(list, d)
	}
	return nil
}

// alone takes the seconds of a single worker as they are. A second without a flow is a second in which
// there was no I/O in this direction: a stall, not a gap.
func alone(samples []*model.Sample, d model.Direction) []Second {
	list := make([]Second, len(samples))
	for i, s := range samples {
		list[i] = Second{Begin: s.Begin(), End: s.End, Tally: Tally{Seconds: s.Seconds}}
		if f := s.Flow(d); f != nil {
			list[i].Tally = Tally{
				Seconds: s.Seconds, IOs: float64(f.IOs), Bytes: float64(f.Bytes),
				Latency: f.LatencySum, Max: f.Max, Histograms: []*histogram.Histogram{&f.Histogram},
			}
		}
	}
	return list
}

// together sums workers over the window in which all of them ran: outside of it, other workers are
// idle, and the sum of such rates never occurred. The window is cut into seconds; a sample counts in
// each by the share of its time in it, its histogram in the one that contains its middle.
func (c *Group) together(d model.Direction) []Second {
	from, to := c.Common()
	n := int(math.Round(to - from))
	if n < 1 {
		return nil
	}
	length := (to - from) / float64(n)
	list := make([]Second, n)
	for i := range list {
		list[i].Begin, list[i].End = from+float64(i)*length, from+float64(i+1)*length
		list[i].Seconds = length
	}
	missing := make([]bool, n)
	for _, samples := range c.Workers {
		covered := make([]float64, n)
		sums := make([]Tally, n)
		for _, s := range samples {
			first := max(0, int((s.Begin()-from)/length))
			for i := first; i < n && list[i].Begin < s.End; i++ {
				seconds := s.Within(list[i].Begin, list[i].End)
				if seconds == 0 {
					continue
				}
				covered[i] += seconds
				f := s.Flow(d)
				if f == nil {
					continue
				}
				share := seconds / s.Seconds
				part := Tally{IOs: float64(f.IOs) * share, Bytes: float64(f.Bytes) * share, Latency: f.LatencySum * share, Max: f.Max}
				if middle := s.End - s.Seconds/2; middle >= list[i].Begin && middle < list[i].End {
					part.Histograms = []*histogram.Histogram{&f.Histogram}
				}
				sums[i].Add(part)
			}
		}
		for i := range list {
			// A second is unusable if a worker reported nothing for most of it.
			if covered[i] < length/2 {
				missing[i] = true
				continue
			}
			scale := length / covered[i]
			sums[i].IOs *= scale
			sums[i].Bytes *= scale
			sums[i].Latency *= scale
			list[i].Add(sums[i])
		}
	}
	kept := list[:0]
	for i, s := range list {
		if !missing[i] {
			kept = append(kept, s)
		}
	}
	return slices.Clip(kept)
}

// Total sums seconds.
func Total(list []Second) Tally {
	var t Tally
	for i := range list {
		t.Add(list[i].Tally)
	}
	return t
}

// Series is the metric second by second, without the seconds that have none.
func Series(list []Second, m model.Metric) []float64 {
	y := make([]float64, 0, len(list))
	for i := range list {
		if v := list[i].Value(m); !math.IsNaN(v) {
			y = append(y, v)
		}
	}
	return y
}

// ReadRates returns the mean reads per second of steps, over all their workers, in the order of the
// samples. A step whose workers never ran together has none. A long repeat counts with as many seconds as the others:
// what disturbs its beginning would be a small part of the whole.
func ReadRates(rec *model.Recorded, steps map[int]bool) []float64 {
	var samples []model.Sample
	for i := range rec.Samples {
		if steps[rec.Samples[i].Step] {
			samples = append(samples, rec.Samples[i])
		}
	}
	repeats := Of(Counted(samples, Looks(rec), rec.Plan.Schedule, nil), model.Read)
	rates := make([]float64, len(repeats))
	for i, v := range repeats {
		t := Total(v.Seconds)
		rates[i] = t.Value(model.IOPS)
	}
	return rates
}
