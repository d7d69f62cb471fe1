package perf

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/loadline/loadline/internal/model/histogram"
)

// latencies draws the histogram of n I/Os at the given speed: a lognormal
// distribution in cells of equal logarithmic width, with Poisson noise (normal
// above 10) in each.
func latencies(n, speed float64, r *rand.Rand) histogram.Histogram {
	var h histogram.Histogram
	// The position of values within their cells is drawn anew for each second, so that the
	// cells are not visible as a grid.
	shift := math.Exp(latencySigma * cellWidth * (r.Float64() - 0.5))
	for _, c := range cells() {
		want := n * c.share
		count := want + math.Sqrt(want)*r.NormFloat64()
		if want < 10 {
			count = poisson(want, r)
		}
		if count >= 0.5 {
			h.Add(histogram.BucketOf(uint64(baseLatency*c.factor*shift/speed*1e9)), uint64(count+0.5))
		}
	}
	return h
}

// cellWidth is in standard deviations.
const cellWidth = 0.05

type cell struct{ factor, share float64 }

// cells divide the lognormal distribution from −3.5 to +4 standard deviations.
var cells = sync.OnceValue(func() []cell {
	var list []cell
	for z := -3.5; z < 4; z += cellWidth {
		share := normal(z+cellWidth) - normal(z)
		list = append(list, cell{math.Exp(latencySigma * (z + cellWidth/2)), share})
	}
	return list
})

func normal(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

func poisson(mean float64, r *rand.Rand) float64 {
	limit, p, k := math.Exp(-mean), 1.0, 0.0
	for {
		p *= r.Float64()
		if p <= limit {
			return k
		}
		k++
	}
}
