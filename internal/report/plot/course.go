package plot

import (
	"math"
	"strconv"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/term"
)

// Rate draws the throughput of a course over its measured time: bytes per second
// when the workload's headline is the bandwidth, else I/Os per second. Visits are
// joined, with a line between them: what other workloads did meanwhile is left out.
func Rate(c *model.Course, m model.Metric, o Options) []string {
	o = o.filled()
	values, what := c.Points.IOPS, "IOPS"
	if m == model.Bandwidth {
		values, what = c.Points.Bandwidth, "bandwidth"
	} else {
		m = model.IOPS
	}
	y := fromZero(values, m, yTicks(o.Height))
	k := curve{paint: paints[0], joined: true, points: overTime(c, values, math.Inf(-1))}
	return drawCourse(c, what+" over time, "+y.unit, y, []curve{k}, o)
}

// Latency draws the percentiles of a course over its measured time, as Rate does.
func Latency(c *model.Course, o Options) []string {
	o = o.filled()
	var all []float64
	var curves []curve
	for i, s := range []struct {
		label  string
		values []float64
	}{{"p50", c.Points.P50}, {"p99", c.Points.P99}, {"p99.9", c.Points.P999}} {
		points := overTime(c, s.values, 0)
		seen := false
		for _, p := range points {
			if positive(p.y) {
				seen, all = true, append(all, p.y)
			}
		}
		if seen {
			curves = append(curves, curve{label: s.label, paint: paints[i], joined: true, points: points})
		}
	}
	return drawCourse(c, "latency over time", logarithmic(all, shortTime, yTicks(o.Height)), curves, o)
}

// drawCourse adds the axis of time and the lines between visits.
func drawCourse(c *model.Course, title string, y axis, curves []curve, o Options) []string {
	d := chart{title: title, y: y, curves: curves}
	end, between := visits(c)
	if end == 0 || len(curves) == 0 {
		return []string{o.Paint(term.Bold, o.words(title)), "  no data"}
	}
	d.x = spanAxis(end, xTicks(o.Width-10, 3))
	if len(between) > 0 {
		d.title = joinedTitle(title, len(between)+1, o.Width)
	}
	// More lines than that would be a fence.
	if len(between) <= o.Width/6 {
		for _, x := range between {
			d.rules = append(d.rules, rule{x, visitLine, term.Dim})
		}
	}
	return d.draw(o)
}

// joinedTitle says how many visits are joined, in as many words as there is room for.
func joinedTitle(title string, visits, width int) string {
	count := strconv.Itoa(visits) + " visits"
	for _, more := range []string{" (" + count + " joined)", " (" + count + ")"} {
		if term.Columns(title)+len(more) <= width {
			return title + more
		}
	}
	return title
}

// visits returns the measured seconds and where, on the axis of measured time, one
// visit follows another.
func visits(c *model.Course) (end float64, between []float64) {
	for i, s := range c.Points.Seconds {
		if i > 0 && i < len(c.Points.Span) && c.Points.Span[i] != c.Points.Span[i-1] {
			between = append(between, end)
		}
		if usable(s) && s > 0 {
			end += s
		}
	}
	return end, between
}

// overTime puts a column on the axis of measured time. The line breaks between
// visits, and where a value is not above the bound.
func overTime(c *model.Course, values []float64, above float64) []point {
	var points []point
	gap := point{x: math.NaN(), y: math.NaN()}
	at := 0.0
	for i, s := range c.Points.Seconds {
		if i >= len(values) || !usable(s) || s < 0 {
			break
		}
		if i > 0 && i < len(c.Points.Span) && c.Points.Span[i] != c.Points.Span[i-1] {
			points = append(points, gap)
		}
		// A point stands in the middle of its interval.
		p := point{x: at + s/2, y: values[i]}
		at += s
		if !usable(p.y) || p.y <= above {
			p = gap
		}
		points = append(points, p)
	}
	return points
}

// Tail draws the distribution of the latency: what share of all I/Os took longer
// than the latency below it. Both axes are logarithmic.
func Tail(c *model.Course, o Options) []string {
	o = o.filled()
	title := "share of I/Os that took longer"
	var latencies, shares []float64
	k := curve{paint: paints[0], joined: true}
	for _, t := range c.Tail {
		if positive(t.Latency) && positive(t.Above) {
			latencies, shares = append(latencies, t.Latency), append(shares, t.Above)
			k.points = append(k.points, point{x: t.Latency, y: t.Above})
		}
	}
	if len(k.points) < 2 {
		return []string{o.Paint(term.Bold, o.words(title)), "  no data"}
	}
	d := chart{title: title, curves: []curve{k}}
	d.y = logarithmic(append(shares, 1), shortShare, yTicks(o.Height))
	d.x = logarithmic(latencies, shortTime, xTicks(o.Width-10, 6))
	return d.draw(o)
}
