package analyze

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// second is about one second of one direction, summed over the workers.
type second struct {
	begin, end float64
	tally
}

// tally holds sums over some time: what rates and means are divided from.
type tally struct {
	seconds    float64
	ios, bytes float64
	latency    float64
	max        float64
	histograms []*model.Histogram
}

func (t *tally) add(o tally) {
	t.seconds += o.seconds
	t.ios += o.ios
	t.bytes += o.bytes
	t.latency += o.latency
	t.max = math.Max(t.max, o.max)
	t.histograms = append(t.histograms, o.histograms...)
}

// merge replaces the histograms by their sum, which is returned.
func (t *tally) merge() *model.Histogram {
	var h model.Histogram
	for _, o := range t.histograms {
		h.Merge(*o)
	}
	t.histograms = []*model.Histogram{&h}
	return &h
}

// value is the metric of a tally; NaN where nothing was counted.
func (t *tally) value(m model.Metric) float64 {
	switch m {
	case model.IOPS:
		return t.ios / t.seconds
	case model.Bandwidth:
		return t.bytes / t.seconds
	case model.Latency:
		return t.latency / t.ios
	}
	if len(t.histograms) != 1 {
		t.merge()
	}
	return t.histograms[0].Percentile(percentiles[m])
}

// percentiles are the metrics that are read from a histogram.
var percentiles = map[model.Metric]float64{
	model.P50: 50, model.P90: 90, model.P99: 99, model.P999: 99.9, model.P9999: 99.99,
}

// visit is one step of one direction, second by second.
type visit struct {
	step    int
	seconds []second
}

// gather groups samples by step, then by worker, and sums the workers second by
// second over their common window. Visits come in the order of the samples.
func gather(samples []model.Sample, d model.Direction) []visit {
	type crew struct {
		step    int
		workers map[int][]*model.Sample
	}
	var crews []crew
	at := map[int]int{}
	for i := range samples {
		s := &samples[i]
		if !(s.Seconds > 0) {
			continue
		}
		j, known := at[s.Step]
		if !known {
			j = len(crews)
			at[s.Step] = j
			crews = append(crews, crew{step: s.Step, workers: map[int][]*model.Sample{}})
		}
		crews[j].workers[s.Worker] = append(crews[j].workers[s.Worker], s)
	}
	visits := make([]visit, 0, len(crews))
	for _, c := range crews {
		v := visit{step: c.step}
		if len(c.workers) == 1 {
			for _, list := range c.workers {
				v.seconds = alone(list, d)
			}
		} else {
			v.seconds = together(c.workers, d)
		}
		if len(v.seconds) > 0 {
			visits = append(visits, v)
		}
	}
	return visits
}

// alone takes the seconds of a single worker as they are. A second without a
// flow is a second in which nothing went this way: a stall, not a gap.
func alone(samples []*model.Sample, d model.Direction) []second {
	list := make([]second, len(samples))
	for i, s := range samples {
		list[i] = second{begin: s.End - s.Seconds, end: s.End, tally: tally{seconds: s.Seconds}}
		if f := s.Flow(d); f != nil {
			list[i].tally = tally{
				seconds: s.Seconds, ios: float64(f.IOs), bytes: float64(f.Bytes),
				latency: f.LatencySum, max: f.Max, histograms: []*model.Histogram{&f.Histogram},
			}
		}
	}
	return list
}

// together sums workers over the window in which all of them ran: outside it
// the others leave room, and the sum of such rates is a rate that nobody had.
// The window is cut into seconds; a sample counts in each by the share of its
// time that lies there, its histogram where its middle lies.
func together(workers map[int][]*model.Sample, d model.Direction) []second {
	from, to := math.Inf(-1), math.Inf(1)
	for _, list := range workers {
		from = math.Max(from, list[0].End-list[0].Seconds)
		to = math.Min(to, list[len(list)-1].End)
	}
	n := int(math.Round(to - from))
	if n < 1 {
		return nil
	}
	length := (to - from) / float64(n)
	list := make([]second, n)
	for i := range list {
		list[i].begin, list[i].end = from+float64(i)*length, from+float64(i+1)*length
		list[i].seconds = length
	}
	missing := make([]bool, n)
	for _, samples := range workers {
		covered := make([]float64, n)
		sums := make([]tally, n)
		for _, s := range samples {
			begin := s.End - s.Seconds
			first := max(0, int((begin-from)/length))
			for i := first; i < n && list[i].begin < s.End; i++ {
				share := math.Min(s.End, list[i].end) - math.Max(begin, list[i].begin)
				if share <= 0 {
					continue
				}
				covered[i] += share
				f := s.Flow(d)
				if f == nil {
					continue
				}
				part := tally{
					ios: float64(f.IOs) * share / s.Seconds, bytes: float64(f.Bytes) * share / s.Seconds,
					latency: f.LatencySum * share / s.Seconds, max: f.Max,
				}
				if middle := s.End - s.Seconds/2; middle >= list[i].begin && middle < list[i].end {
					part.histograms = []*model.Histogram{&f.Histogram}
				}
				sums[i].add(part)
			}
		}
		for i := range list {
			// A worker that was not heard of for most of a second makes it unfit.
			if covered[i] < length/2 {
				missing[i] = true
				continue
			}
			scale := length / covered[i]
			sums[i].ios *= scale
			sums[i].bytes *= scale
			sums[i].latency *= scale
			list[i].add(sums[i])
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

// total sums seconds.
func total(list []second) tally {
	var t tally
	for i := range list {
		t.add(list[i].tally)
	}
	return t
}

// series is the metric second by second, without the seconds that have none.
func series(list []second, m model.Metric) []float64 {
	y := make([]float64, 0, len(list))
	for i := range list {
		if v := list[i].value(m); !math.IsNaN(v) {
			y = append(y, v)
		}
	}
	return y
}
