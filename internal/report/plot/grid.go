package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/term"
)

// shades run from the least to the most, in Unicode and in ASCII.
var shades = [2][]string{{"░░", "▒▒", "▓▓", "██"}, {"..", "::", "##", "@@"}}

// Grid draws a grid sweep as a table of depth × block size, one for each direction
// and number of jobs. A shade before each number tells how large it is among the
// others, on a logarithmic scale; a number that must not be used is in
// parentheses, a suspect one has an exclamation mark.
func Grid(s *model.Sweep, m model.Metric, o Options) []string {
	o = o.filled()
	var out []string
	for _, d := range directions(s) {
		for _, jobs := range jobCounts(s, d) {
			if out != nil {
				out = append(out, "")
			}
			out = append(out, grid(d, jobs, chosen(s, d, jobs), m, o)...)
		}
	}
	return out
}

func grid(d model.Direction, jobs int, points []model.SweepPoint, m model.Metric, o Options) []string {
	sizes, depths := blockSizes(points), []int{}
	lo, hi := math.Inf(1), 0.0
	cells := map[[2]int64]model.SweepPoint{}
	for _, p := range points {
		if !slices.Contains(depths, p.Depth) {
			depths = append(depths, p.Depth)
		}
		cells[[2]int64{int64(p.Depth), p.BlockSize}] = p
		if v := metricOf(p, m); v != nil && positive(v.Value) && p.Verdict != model.Invalid {
			lo, hi = min(lo, v.Value), max(hi, v.Value)
		}
	}
	title := fmt.Sprintf("%s %s by depth and block size%s", d, metricName(m), jobWords(jobs))
	const depthWidth = 5
	widths := make([]int, len(sizes))
	table := make([][]string, len(depths))
	for row, depth := range depths {
		for i, size := range sizes {
			text := ""
			if p, ok := cells[[2]int64{int64(depth), size}]; ok {
				text = cellWords(p, m, lo, hi, o)
			}
			widths[i] = max(widths[i], term.Columns(text), term.Columns(model.FormatBlock(size)))
			table[row] = append(table[row], text)
		}
	}
	lines := []string{o.Paint(term.Bold, o.words(title))}
	// What does not fit beside each other goes below each other.
	for begin := 0; begin < len(sizes); {
		end, used := begin, depthWidth
		for end < len(sizes) && (end == begin || used+2+widths[end] <= o.Width) {
			used += 2 + widths[end]
			end++
		}
		span := used - depthWidth - 2
		heading := o.Text("block size")
		if span >= len(heading)+4 && used <= o.Width {
			lines = append(lines, o.Paint(term.Dim, strings.Repeat(" ", depthWidth+2)+spanning(heading, span, o.Style)))
		}
		head := "depth"
		for i := begin; i < end; i++ {
			text := model.FormatBlock(sizes[i])
			head += "  " + term.Pad(text, widths[i]) + text
		}
		lines = append(lines, o.Paint(term.Dim, head))
		for row, depth := range depths {
			line := fmt.Sprintf("%*d", depthWidth, depth)
			for i := begin; i < end; i++ {
				line += "  " + term.Pad(table[row][i], widths[i]) + table[row][i]
			}
			lines = append(lines, strings.TrimRight(line, " "))
		}
		begin = end
	}
	return lines
}

// spanning centres a heading over columns, between lines.
func spanning(text string, width int, s term.Style) string {
	line := glyph(s, [2]string{"─", "-"})
	left := (width - term.Columns(text) - 2) / 2
	return strings.Repeat(line, left) + " " + text + " " + strings.Repeat(line, width-left-2-term.Columns(text))
}

func cellWords(p model.SweepPoint, m model.Metric, lo, hi float64, o Options) string {
	e := metricOf(p, m)
	if e == nil || !usable(e.Value) {
		return o.Text("–")
	}
	value := o.Text(model.FormatMetric(m, e.Value))
	if m == model.IOPS {
		value = o.Text(model.FormatRate(e.Value))
	}
	// Only numbers that no storage has are longer.
	value = o.Shorten(value, 14)
	switch p.Verdict {
	case model.Invalid:
		return "(" + value + ")"
	case model.Suspect:
		value = "!" + value
	}
	list := shades[0]
	if !o.Unicode {
		list = shades[1]
	}
	level := 0
	if hi > lo && e.Value > 0 {
		level = int(math.Log(e.Value/lo) / math.Log(hi/lo) * float64(len(list)))
	}
	return list[min(len(list)-1, max(0, level))] + " " + value
}

// metricOf is a point's estimate of a metric; nil when it has none.
func metricOf(p model.SweepPoint, m model.Metric) *model.Estimate {
	switch m {
	case model.IOPS:
		return &p.IOPS
	case model.Bandwidth:
		return &p.Bandwidth
	case model.Latency:
		return p.Mean
	case model.P50:
		return p.P50
	case model.P99:
		return p.P99
	case model.P999:
		return p.P999
	}
	return nil
}

func metricName(m model.Metric) string {
	switch m {
	case model.IOPS:
		return "IOPS"
	case model.Latency:
		return "mean latency"
	}
	return string(m)
}
