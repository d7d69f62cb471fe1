package term

import (
	"math"
	"strings"
)

// Spark draws values as at most n characters, each the mean of its share of the values. The scale
// begins at zero, so that a drop of a fifth looks like a fifth and noise is not exaggerated. Values
// that are not finite become blanks.
func (s Style) Spark(values []float64, n int) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	if !s.Unicode {
		levels = []rune("_.-=#")
	}
	points := shrink(values, n)
	top := 0.0
	for _, v := range points {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			top = max(top, v)
		}
	}
	var b strings.Builder
	for _, v := range points {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			b.WriteByte(' ')
		case top <= 0 || v <= 0:
			b.WriteRune(levels[0])
		default:
			b.WriteRune(levels[int(math.Round(v/top*float64(len(levels)-1)))])
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// shrink averages values into at most n points.
func shrink(values []float64, n int) []float64 {
	if len(values) <= n || n <= 0 {
		return values[:min(len(values), max(0, n))]
	}
	points := make([]float64, n)
	for i := range points {
		part := values[i*len(values)/n : (i+1)*len(values)/n]
		sum := 0.0
		for _, v := range part {
			sum += v
		}
		points[i] = sum / float64(len(part))
	}
	return points
}

// Bar draws a share from 0 to 1 as a bar of n columns.
func (s Style) Bar(share float64, n int) string {
	full, empty := "━", "─"
	if !s.Unicode {
		full, empty = "#", "-"
	}
	if math.IsNaN(share) {
		share = 0
	}
	k := int(math.Round(min(1, max(0, share)) * float64(n)))
	return strings.Repeat(full, k) + strings.Repeat(empty, n-k)
}
