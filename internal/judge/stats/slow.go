package stats

import (
	"math"
)

// slow sums up the loss in single seconds or repeats that were much slower than the others.
type slow struct {
	// of is how many there were, count how many of them were slow; loss and square are the sums of their losses and
	// of the squared losses.
	of, count, loss, square float64
}

func (s *slow) add(o slow) {
	s.of, s.count, s.loss, s.square = s.of+o.of, s.count+o.count, s.loss+o.loss, s.square+o.square
}

func (s *slow) subtract(o slow) {
	s.of, s.count, s.loss, s.square = s.of-o.of, s.count-o.count, s.loss-o.loss, s.square-o.square
}

// variance is that of the loss of one of them.
func (s slow) variance() float64 {
	if s.count == 0 {
		return 0
	}
	mean := s.loss / s.of
	return s.square/s.of - mean*mean
}

// slowSpreads is the distance from the usual value, in standard deviations, that counts as slow.
const slowSpreads = 6.0

// slowLimits is, for each workload, the distance from the usual value that counts as slow. The spread
// is estimated from the median of the differences between neighbours, which a few slow ones do not
// change; a workload's own differences are combined with those of all, because it may have only two.
func slowLimits(list [][][]float64) []float64 {
	own := make([][]float64, len(list))
	var all []float64
	for i, stretches := range list {
		for _, y := range stretches {
			for j := 1; j < len(y); j++ {
				own[i] = append(own[i], math.Abs(y[j]-y[j-1]))
			}
		}
		all = append(all, own[i]...)
	}
	// The median absolute difference of two normal values is 0.954 σ.
	const (
		median = 0.6745 * math.Sqrt2
		weight = 6
	)
	common := Median(all) / median
	limits := make([]float64, len(list))
	for i := range list {
		n, s := float64(len(own[i])), Median(own[i])/median
		limits[i] = slowSpreads * math.Sqrt((weight*common*common+n*s*s)/(weight+n))
	}
	return limits
}

// withoutSlow removes from y the values that are farther than the limit from the one nearest to the
// usual value, and returns the loss in them. Slow means low for rates and high for latencies.
func withoutSlow(y []float64, usual, limit float64) (rest []float64, found slow) {
	found.of = float64(len(y))
	if len(y) < 2 || limit == 0 {
		return y, found
	}
	centre := y[0]
	for _, v := range y {
		if math.Abs(v-usual) < math.Abs(centre-usual) {
			centre = v
		}
	}
	var out []float64
	for _, v := range y {
		if math.Abs(v-centre) <= limit {
			rest = append(rest, v)
		} else {
			out = append(out, v)
		}
	}
	mean := Mean(rest)
	for _, v := range out {
		found.count++
		found.loss += v - mean
		found.square += (v - mean) * (v - mean)
	}
	return rest, found
}
