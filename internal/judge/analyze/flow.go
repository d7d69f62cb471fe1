package analyze

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/timeline"
)

// flow is all that is known of one workload in one direction.
type flow struct {
	repeats []timeline.Repeat
	// groups are what percentiles are compared between: the repeats, or stretches of the only repeat.
	// all is their sum.
	groups []timeline.Tally
	all    timeline.Tally
	merged bool
	// whole is an only repeat including its warm-up.
	whole []timeline.Second
	// beyond are the seconds of long repeats, by step, that do not count in the result but show how often seconds are slow.
	beyond map[int][]timeline.Second
	// peers are the flows of the same run; workload and direction identify this one.
	peers     *peers
	workload  string
	direction model.Direction
}

const (
	// stretchSeconds and maxStretches determine how an only repeat is cut into groups.
	stretchSeconds = 5
	minStretches   = 3
	maxStretches   = 20
)

// newFlow prepares repeats and drops the warm-up that the sequential rule finds in the headline of a
// steady repeat. It returns nil if there was no I/O in this direction.
func newFlow(repeats []timeline.Repeat, headline model.Metric, mode model.Mode) *flow {
	var whole []timeline.Second
	if len(repeats) == 1 {
		whole = repeats[0].Seconds
	}
	if d := warmUp(repeats, headline, mode); d > 0 {
		repeats = []timeline.Repeat{{Step: repeats[0].Step, Seconds: repeats[0].Seconds[d:]}}
	}
	f := &flow{repeats: repeats, whole: whole}
	for _, v := range repeats {
		if len(repeats) > 1 {
			f.groups = append(f.groups, timeline.Total(v.Seconds))
			continue
		}
		n := len(v.Seconds)
		k := min(n, max(minStretches, min(maxStretches, n/stretchSeconds)))
		for i := range k {
			f.groups = append(f.groups, timeline.Total(v.Seconds[i*n/k:(i+1)*n/k]))
		}
	}
	for i := range f.groups {
		f.all.Add(f.groups[i])
	}
	if f.all.IOs == 0 {
		return nil
	}
	return f
}

// takeBeyond takes in the seconds of long repeats that do not count, of those that ended at the level at which they began: others
// show that it changed, and not how often seconds are slow.
func (f *flow) takeBeyond(looks []timeline.Repeat) {
	if f == nil {
		return
	}
	f.beyond = map[int][]timeline.Second{}
	for _, look := range looks {
		if sameLevel(timeline.Series(look.Seconds, model.IOPS)) {
			f.beyond[look.Step] = look.Seconds
		}
	}
}

// sameLevel reports whether a series ends at the level at which it began, whatever was between.
func sameLevel(y []float64) bool {
	at := stats.Level(y)
	if at.From <= len(y)/4 {
		return !at.Fell && !at.Lower
	}
	change := stats.Median(y[at.From:]) / stats.Median(y[:at.From])
	return change > 1-lower && change < 1/(1-lower)
}

// splitLooks separates the samples of long repeats that count from the others, for each workload.
func splitLooks(samples map[string][]model.Sample, s model.Schedule) (counted, beyond map[string][]model.Sample) {
	if s.Mode != model.Rounds {
		return samples, nil
	}
	counted, beyond = map[string][]model.Sample{}, map[string][]model.Sample{}
	for name, list := range samples {
		counted[name], beyond[name] = timeline.SplitLooks(list, s.Repeat)
	}
	return counted, beyond
}

// warmUp is the number of seconds of an only repeat that the sequential rule finds to be warm-up.
func warmUp(repeats []timeline.Repeat, headline model.Metric, mode model.Mode) int {
	if mode != model.Steady || len(repeats) != 1 {
		return 0
	}
	y := timeline.Series(repeats[0].Seconds, headline)
	if len(y) != len(repeats[0].Seconds) {
		return 0
	}
	return stats.Observe(y).Dropped
}

// histogram is the sum over all groups. Histograms are merged only on request, first within the groups,
// because a rate that is judged after each repeat needs none.
func (f *flow) histogram() *histogram.Histogram {
	if !f.merged {
		f.all.Histograms = nil
		for i := range f.groups {
			f.groups[i].Merge()
			f.all.Histograms = append(f.all.Histograms, f.groups[i].Histograms...)
		}
		f.all.Merge()
		f.merged = true
	}
	return f.all.Histograms[0]
}

// independent is the effective share of independent I/Os for a percentile: I/Os of a slow second are
// slow together, so it is the effective share of the seconds, from the autocorrelation of their mean
// latencies. Repeats count as independent of each other, because other workloads,
// or at least 15 s, are in between; slow periods longer than that are left to the intervals.
func (f *flow) independent() float64 {
	stretches := make([][]float64, len(f.repeats))
	n := 0
	for i, v := range f.repeats {
		stretches[i] = timeline.Series(v.Seconds, model.Latency)
		n += len(stretches[i])
	}
	if n == 0 {
		return 0
	}
	effective, phi := 0.0, stats.Correlation(stretches...)
	for _, y := range stretches {
		effective += stats.EffectiveSizeOfStretch(len(y), phi)
	}
	return effective / float64(n)
}

// supports reports whether there are enough I/Os to estimate the percentile p.
func (f *flow) supports(p float64) bool {
	return float64(f.histogram().Count())*f.independent() >= stats.PercentileNeeds(p)
}

// has reports whether the metric can be estimated at all.
func (f *flow) has(m model.Metric) bool {
	if p, ok := m.Percentile(); ok {
		return f.supports(p)
	}
	v := f.all.Value(m)
	return !math.IsNaN(v) && (v > 0 || m != model.Bandwidth)
}

// seconds is the measured time.
func (f *flow) seconds() float64 { return f.all.Seconds }

// values is the metric of each repeat.
func (f *flow) values(m model.Metric) []float64 {
	list := make([]float64, len(f.repeats))
	for i, v := range f.repeats {
		if len(f.repeats) == len(f.groups) {
			list[i] = f.groups[i].Value(m)
		} else {
			t := timeline.Total(v.Seconds)
			list[i] = t.Value(m)
		}
	}
	return list
}
