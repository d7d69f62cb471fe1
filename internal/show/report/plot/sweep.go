package plot

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
)

// Curve draws latency against throughput: for a load sweep the p50 and p99 at each offered rate,
// with the knee; for a grid the mean at each depth, one curve for each block size. There is one
// chart for each direction and, for a grid, each number of jobs.
func Curve(s *model.Sweep, o Options) []string {
	o = o.filled()
	var out []string
	for _, d := range directions(s) {
		for _, jobs := range jobCounts(s, d) {
			points := chosen(s, d, jobs)
			if out != nil {
				out = append(out, "")
			}
			if s.Kind == model.SweepLoad {
				out = append(out, loadCurve(s, d, points, o)...)
			} else {
				out = append(out, gridCurve(d, jobs, points, o)...)
			}
		}
	}
	return out
}

func loadCurve(s *model.Sweep, d model.Direction, points []model.SweepPoint, o Options) []string {
	slices.SortStableFunc(points, func(a, b model.SweepPoint) int { return cmp.Compare(a.Offered, b.Offered) })
	p50 := curve{label: "p50", paint: paints[0], mark: marks[0], joined: true}
	p99 := curve{label: "p99", paint: paints[1], mark: marks[1], joined: true}
	var rates []float64
	for _, p := range points {
		if p.Verdict == model.Invalid {
			continue
		}
		rates = append(rates, p.IOPS.Value)
		p50.points = appendLatency(p50.points, p.IOPS.Value, p.P50)
		p99.points = appendLatency(p99.points, p.IOPS.Value, p.P99)
	}
	c := chart{curves: withPoints(p50, p99)}
	if s.Capacity != nil {
		rates = append(rates, s.Capacity.Value)
	}
	c.x = fromZero(rates, model.IOPS, xTicks(o.Width-10, 4))
	c.title = fmt.Sprintf("%s latency against achieved rate, %s", d, c.x.unit)
	if s.Knee != nil {
		c.rules = append(c.rules, rule{s.Knee.Offered, kneeLine, term.Green})
		where := fmt.Sprintf("knee: %s (%.0f %% of the capacity), p99 %s", model.IOPS.Format(s.Knee.Offered), 100*s.Knee.Fraction, model.P99.Format(s.Knee.P99))
		if !s.Knee.Beyond {
			where = "knee: at or above the highest rate that was offered, " + model.IOPS.Format(s.Knee.Offered)
		}
		c.below = o.wrapped(glyph(o.Style, kneeLine) + " " + where)
	}
	if s.Capacity != nil {
		c.rules = append(c.rules, rule{s.Capacity.Value, repeatLine, term.Dim})
		c.below = append(c.below, o.wrapped(glyph(o.Style, repeatLine)+" capacity of the closed loop: "+model.IOPS.Format(s.Capacity.Value))...)
	}
	return c.finish(o)
}

func gridCurve(d model.Direction, jobs int, points []model.SweepPoint, o Options) []string {
	c := chart{title: fmt.Sprintf("%s mean latency against IOPS, by block size%s", d, jobWords(jobs))}
	var rates []float64
	for i, size := range blockSizes(points) {
		k := curve{label: units.FormatBlock(size), paint: paints[i%len(paints)], mark: marks[i%len(marks)], joined: true}
		for _, p := range points {
			if p.BlockSize == size && p.Verdict != model.Invalid && p.Mean != nil {
				rates = append(rates, p.IOPS.Value)
				k.points = appendLatency(k.points, p.IOPS.Value, p.Mean)
			}
		}
		c.curves = append(c.curves, withPoints(k)...)
	}
	c.x = logarithmic(rates, tidyRate, xTicks(o.Width-10, 6))
	return c.finish(o)
}

// finish adds the latency axis and draws the chart, or says that there is nothing to draw.
func (c chart) finish(o Options) []string {
	var all []float64
	for _, k := range c.curves {
		for _, p := range k.points {
			all = append(all, p.y)
		}
	}
	if len(all) == 0 {
		return []string{o.Paint(term.Bold, o.words(c.title)), "  no latencies"}
	}
	c.y = logarithmic(all, shortTime, yTicks(o.Height))
	return c.draw(o)
}

func withPoints(curves ...curve) []curve {
	return slices.DeleteFunc(curves, func(k curve) bool { return len(k.points) == 0 })
}

// appendLatency adds a latency with its interval at a rate.
func appendLatency(points []point, rate float64, e *model.Estimate) []point {
	if e == nil || !positive(e.Value) || !usable(rate) {
		return points
	}
	return append(points, estimated(rate, *e))
}

// estimated returns a point with the estimate's interval, if it has one.
func estimated(x float64, e model.Estimate) point {
	p := point{x: x, y: e.Value}
	if e.Confidence > 0 && usable(e.Low) && usable(e.High) {
		p.low, p.high = e.Low, e.High
	}
	return p
}

// directions, jobCounts and blockSizes list the values that a sweep covered.
func directions(s *model.Sweep) (list []model.Direction) {
	for _, p := range s.Points {
		if !slices.Contains(list, p.Direction) {
			list = append(list, p.Direction)
		}
	}
	return list
}

// jobCounts returns a single 0, "any", for a load sweep.
func jobCounts(s *model.Sweep, d model.Direction) (list []int) {
	if s.Kind == model.SweepLoad {
		return []int{0}
	}
	for _, p := range s.Points {
		if p.Direction == d && !slices.Contains(list, p.Jobs) {
			list = append(list, p.Jobs)
		}
	}
	slices.Sort(list)
	return list
}

func blockSizes(points []model.SweepPoint) (list []int64) {
	for _, p := range points {
		if !slices.Contains(list, p.BlockSize) {
			list = append(list, p.BlockSize)
		}
	}
	slices.Sort(list)
	return list
}

// chosen returns the points of a direction and number of jobs (0: any), by depth.
func chosen(s *model.Sweep, d model.Direction, jobs int) (list []model.SweepPoint) {
	for _, p := range s.Points {
		if p.Direction == d && (jobs == 0 || p.Jobs == jobs) {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b model.SweepPoint) int { return a.Depth - b.Depth })
	return list
}

func jobWords(jobs int) string {
	switch jobs {
	case 0, 1:
		return ""
	}
	return fmt.Sprintf(", %d jobs", jobs)
}
