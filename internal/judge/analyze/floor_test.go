package analyze

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// Repeats of six I/Os that all agree say nothing about a change of less than one I/O per repeat on either side, so the ratio is no better known than that.
func TestARatioIsNoBetterThanItsCounts(t *testing.T) {
	repeat := func(step int, ios float64) timeline.Repeat {
		begin := float64(10 * step)
		r := timeline.Repeat{Step: step}
		for i := range 2 {
			r.Seconds = append(r.Seconds, timeline.Second{Begin: begin + float64(i), End: begin + float64(i) + 1, Tally: timeline.Tally{Seconds: 1, IOs: ios}})
		}
		return r
	}
	for ios, least := range map[float64]float64{3: math.Hypot(1.0/6, 1.0/6), 3000: math.Sqrt2 * stats.Floor} {
		var pairs []pair
		for i := range 4 {
			pairs = append(pairs, pair{repeat(2*i+1, ios), repeat(2*i+2, ios)})
		}
		c, ok := pairedContrast(pairs, model.IOPS)
		if half := c.Half(stats.Confidence); !ok || math.Abs(half/least-1) > 1e-6 {
			t.Errorf("%g I/Os a second: ±%g, want ±%g", ios, half, least)
		}
	}
}
