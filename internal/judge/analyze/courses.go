package analyze

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// Limits on what a page shows and on its size: a screen is about 1,000 points wide, and a page with all
// the courses of a run must stay small.
const (
	// allPoints are shared among the courses, each of which gets between fewPoints and mostPoints. A
	// repeat always has at least one.
	allPoints  = 5000
	fewPoints  = 100
	mostPoints = 900
	// The same for the columns of a heatmap, and for its non-empty cells.
	allColumns  = 1200
	fewColumns  = 40
	mostColumns = 150
	allCells    = 16000
	fewCells    = 400
	mostCells   = 4000
)

// Courses returns how each workload went over the time of the run, thinned for display: neighbouring
// seconds of a repeat are summed (never averaged), and histograms are merged before a percentile is
// read. There is one course for each of Results, in the same order.
func Courses(rec *model.Recorded) []model.Course {
	good := goodSamples(rec)
	var list []model.Course
	var repeats [][]timeline.Repeat
	for _, w := range rec.Plan.Workloads {
		samples := good[w.Name]
		spans := spansOf(rec, w.Name, samples)
		for _, d := range flows(w) {
			v := timeline.Of(samples, d)
			if !moved(v) {
				continue
			}
			c := model.Course{Workload: w.Name, Direction: d, Workers: workersOf(samples), Spans: slices.Clone(spans)}
			markStarts(&c, v, headlineOf(w, d), rec.Plan.Schedule.Mode)
			list, repeats = append(list, c), append(repeats, v)
		}
	}
	parts := max(1, len(list))
	points := share(allPoints, parts, fewPoints, mostPoints)
	heat := heatSize{columns: share(allColumns, parts, fewColumns, mostColumns), cells: share(allCells, parts, fewCells, mostCells)}
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() { drawn(&list[i], repeats[i], points, heat) })
	}
	all.Wait()
	return list
}

// share is an equal part of all, within bounds.
func share(all, parts, least, most int) int { return max(least, min(most, all/parts)) }

// moved reports whether there was any I/O in this direction.
func moved(repeats []timeline.Repeat) bool {
	return slices.ContainsFunc(repeats, func(v timeline.Repeat) bool {
		return slices.ContainsFunc(v.Seconds, func(s timeline.Second) bool { return s.IOs > 0 })
	})
}

func headlineOf(w model.Workload, d model.Direction) model.Metric {
	if d == model.Sync {
		return model.Latency
	}
	return w.Metric
}

func workersOf(samples []model.Sample) int {
	seen := map[int]bool{}
	for i := range samples {
		seen[samples[i].Worker] = true
	}
	return len(seen)
}

// spanAt is a span with its step.
type spanAt struct {
	model.Span
	step model.Step
}

// spansOf lists the repeats of a workload, including those that failed. A step that has samples but no
// result is one during which the run was killed.
func spansOf(rec *model.Recorded, workload string, samples []model.Sample) []model.Span {
	var list []spanAt
	find := func(step int) *spanAt {
		i := slices.IndexFunc(list, func(s spanAt) bool { return s.step.Number == step })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	for _, r := range rec.Run.Steps {
		if r.Step.Workload != workload {
			continue
		}
		if s := find(r.Step.Number); s != nil {
			// Another worker of the same repeat.
			s.Ramp, s.End, s.Error = min(s.Ramp, r.Started), max(s.End, r.Ended), cmp.Or(s.Error, r.Error)
			continue
		}
		s := spanAt{step: r.Step, Span: model.Span{Round: r.Step.Round, Ramp: r.Started, End: r.Ended, Error: r.Error}}
		s.Start = min(r.Started+r.Step.Ramp, r.Ended)
		list = append(list, s)
	}
	measured := map[int][2]float64{}
	var steps []int
	for i := range samples {
		s := &samples[i]
		m, known := measured[s.Step]
		if !known {
			m = [2]float64{math.Inf(1), math.Inf(-1)}
			steps = append(steps, s.Step)
		}
		measured[s.Step] = [2]float64{min(m[0], s.Begin()), max(m[1], s.End)}
	}
	for _, step := range steps {
		m, s := measured[step], find(step)
		if s == nil {
			// If the record of the run is lost, the plan may not know the step.
			at := spanAt{step: model.Step{Number: step, Workload: workload, Ramp: rec.Plan.Schedule.Ramp}}
			if i := slices.IndexFunc(rec.Plan.Steps, func(p model.Step) bool { return p.Number == step && p.Workload == workload }); i >= 0 {
				at.step = rec.Plan.Steps[i]
			}
			list = append(list, at)
			s = &list[len(list)-1]
			s.Round = s.step.Round
		}
		s.Start, s.End = m[0], m[1]
		// Before the ramp, the load tool was starting: there is nothing to show.
		s.Ramp = min(s.Start, max(s.Ramp, s.Start-s.step.Ramp))
	}
	slices.SortStableFunc(list, func(a, b spanAt) int { return cmp.Compare(a.Ramp, b.Ramp) })
	spans := make([]model.Span, len(list))
	for i, s := range list {
		spans[i] = s.Span
		spans[i].Ramp, spans[i].Start, spans[i].End = rounded(s.Ramp), rounded(s.Start), rounded(s.End)
	}
	return spans
}

// markStarts moves the start of the measured part of a steady repeat to the end of the warm-up that the
// estimate leaves out.
func markStarts(c *model.Course, repeats []timeline.Repeat, headline model.Metric, mode model.Mode) {
	if d := warmUp(repeats, headline, mode); d > 0 && d < len(repeats[0].Seconds) {
		if s := spanOf(c.Spans, repeats[0].Seconds[0]); s >= 0 {
			c.Spans[s].Start = rounded(repeats[0].Seconds[d].Begin)
		}
	}
}

// spanOf is the index of the span that contains a second, -1 for none.
func spanOf(spans []model.Span, s timeline.Second) int {
	middle := (s.Begin + s.End) / 2
	return slices.IndexFunc(spans, func(p model.Span) bool { return middle >= p.Ramp && middle <= p.End })
}

// piece is the sum of some neighbouring seconds of one repeat.
type piece struct {
	timeline.Tally
	begin, end float64
	span       int
	measured   bool
}

// drawn fills in what the charts need.
func drawn(c *model.Course, repeats []timeline.Repeat, points int, heat heatSize) {
	n := 0
	for _, v := range repeats {
		n += len(v.Seconds)
	}
	c.Thinned = max(1, (n+points-1)/points)
	var pieces []piece
	for _, v := range repeats {
		span := max(0, spanOf(c.Spans, v.Seconds[0]))
		start := c.Spans[span].Start
		for _, part := range cut(v.Seconds, (len(v.Seconds)+c.Thinned-1)/c.Thinned) {
			p := piece{Tally: timeline.Total(part), begin: part[0].Begin, end: part[len(part)-1].End, span: span}
			p.Merge()
			// The start is rounded to a millisecond.
			p.measured = p.end > start+0.01
			pieces = append(pieces, p)
		}
	}
	c.Points = pointsOf(pieces)
	c.Tail = tailOf(pieces)
	c.Heat = heatOf(pieces, len(repeats), heat)
}

// cut divides a list into n parts of nearly equal length.
func cut[T any](list []T, n int) [][]T {
	n = max(1, min(n, len(list)))
	parts := make([][]T, n)
	for i := range parts {
		parts[i] = list[i*len(list)/n : (i+1)*len(list)/n]
	}
	return parts
}

// rounded rounds a time to the millisecond, and digits a value to the given number of digits: more is
// invisible and makes the page larger.
func rounded(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

func digits(v float64, n int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	return r
}
