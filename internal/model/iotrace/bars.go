package iotrace

import (
	"math"
	"math/bits"

	"github.com/loadline/loadline/internal/model/histogram"
)

// Bar counts the I/Os that took From seconds or longer, and less than To.
type Bar struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	IOs  uint64  `json:"ios"`
}

// BarsOf sorts latencies into powers of two of a microsecond, as biolatency(8) does: all bars from the
// first to the last non-empty one, including empty ones in between.
func BarsOf(h histogram.Histogram) (bars []Bar) {
	var counts [64]uint64
	first, last := len(counts), -1
	for seconds, n := range h.Buckets {
		row := max(0, bits.Len64(uint64(seconds*1e6))-1)
		counts[row] += n
		first, last = min(first, row), max(last, row)
	}
	for row := first; row <= last; row++ {
		b := Bar{From: math.Ldexp(1e-6, row), To: math.Ldexp(1e-6, row+1), IOs: counts[row]}
		if row == 0 {
			b.From = 0
		}
		bars = append(bars, b)
	}
	return bars
}
