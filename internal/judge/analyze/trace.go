package analyze

import (
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/timeline"
)

// Traced assigns the samples of a trace to its seconds. A second in which no I/O ended has no sample
// but still counts. A trace longer than mostStretches seconds is assigned to longer stretches instead.
type Traced struct{ seconds []timeline.Second }

// shortest is the length, in seconds, below which the last second is merged into the one before: its
// rate would be that of a moment.
const shortest = 0.5

// mostStretches limits the cells of a trace, which exist once per row and kind: a trace may last for
// weeks, and its record is untrusted input. Up to three hours keep their seconds; a chart has a tenth
// as many points, and fewestStretches are enough for one.
const (
	mostStretches   = 10800
	fewestStretches = 300
)

// stretch is the length of the cells, in whole seconds, of a trace of the given length, so that each
// holds as many samples as its neighbours and there are at most most of them.
func stretch(length float64, most int) float64 { return max(1, math.Ceil(length/float64(most))) }

// NewTraced finds the seconds of a trace of the given length. It will be used for the given number of
// flows, all of which together may have at most the given number of cells: if they would have more,
// each gets fewer and longer stretches.
func NewTraced(samples []iotrace.Sample, length float64, flows, cells int) *Traced {
	t := &Traced{}
	at, last := 0.0, length
	for i := range samples {
		last = max(last, samples[i].End)
	}
	unit := stretch(last, max(fewestStretches, min(mostStretches, cells/max(1, flows))))
	until := func(end float64) {
		// Time without samples is cut into stretches.
		n := int(math.Round((end - at) / unit))
		if n == 0 && end-at > 1e-3 && len(t.seconds) == 0 {
			n = 1
		}
		for i, begin := 0, at; i < n; i++ {
			to := begin + (end-begin)*float64(i+1)/float64(n)
			t.seconds = append(t.seconds, timeline.Second{Begin: at, End: to})
			at = to
		}
		if at < end && len(t.seconds) > 0 {
			t.seconds[len(t.seconds)-1].End, at = end, end
		}
	}
	// open reports whether the last stretch has room for another second.
	open := func(end float64) bool {
		n := len(t.seconds)
		return n > 0 && (end-at < shortest || unit > 1 && end-t.seconds[n-1].Begin < unit+shortest)
	}
	for i := range samples {
		s := &samples[i]
		if s.End <= at || !(s.Seconds > 0) {
			continue
		}
		if begin := s.End - s.Seconds; begin > at+shortest {
			until(begin)
		}
		if open(s.End) {
			t.seconds[len(t.seconds)-1].End = s.End
		} else {
			t.seconds = append(t.seconds, timeline.Second{Begin: at, End: s.End})
		}
		at = s.End
	}
	until(length)
	for i := range t.seconds {
		t.seconds[i].Seconds = t.seconds[i].End - t.seconds[i].Begin
	}
	return t
}

// Flow is part of a trace's samples, second by second.
type Flow struct{ repeat timeline.Repeat }

// Of sums samples, which are in time order, by the second.
func (t *Traced) Of(samples []*iotrace.Sample) Flow {
	list := make([]timeline.Second, len(t.seconds))
	copy(list, t.seconds)
	at := 0
	for _, s := range samples {
		for at < len(list)-1 && s.End > list[at].End+1e-9 {
			at++
		}
		if len(list) == 0 {
			break
		}
		list[at].Add(timeline.Tally{IOs: float64(s.Flow.IOs), Bytes: float64(s.Flow.Bytes), Latency: s.Flow.LatencySum, Max: s.Flow.Max, Histograms: []*histogram.Histogram{&s.Flow.Histogram}})
	}
	return Flow{timeline.Repeat{Seconds: list}}
}

// Estimates are the metrics for which there are enough I/Os, with intervals from the variation between
// the seconds, as for a run with one long repeat.
func (f Flow) Estimates(metrics ...model.Metric) map[model.Metric]model.Estimate {
	all := newFlow([]timeline.Repeat{f.repeat}, model.IOPS, model.Rounds)
	if all == nil {
		return nil
	}
	found := map[model.Metric]model.Estimate{}
	for _, m := range metrics {
		if all.has(m) {
			if e, _ := all.estimate(m); e.Confidence > 0 {
				found[m] = e
			}
		}
	}
	return found
}

// Course shows the flow over the time of the trace; nil if it is empty. The report's points are shared
// among parts courses.
func (f Flow) Course(device string, op iotrace.Operation, parts int) *model.Course {
	repeats := []timeline.Repeat{f.repeat}
	if !moved(repeats) {
		return nil
	}
	end := f.repeat.Seconds[len(f.repeat.Seconds)-1].End
	c := &model.Course{Workload: device, Direction: directionOf(op), Workers: 1, Spans: []model.Span{{Round: 1, End: rounded(end)}}}
	parts = max(1, parts)
	drawn(c, repeats, share(allPoints, parts, fewPoints, mostPoints), heatSize{columns: share(allColumns, parts, fewColumns, mostColumns), cells: share(allCells, parts, fewCells, mostCells)})
	return c
}

// directionOf is the direction as which an operation is drawn.
func directionOf(op iotrace.Operation) model.Direction {
	switch op {
	case iotrace.Read:
		return model.Read
	case iotrace.Flush, iotrace.FlushWait:
		return model.Sync
	}
	return model.Write
}
