package stats

import (
	"cmp"
	"math"
	"slices"
)

// Place is the position of an interval relative to a margin around "no change".
type Place int

// The places. Smaller and Larger mean that B is certainly less or more than A by more than the margin;
// Same that it is certainly within the margin.
const (
	Unclear Place = iota
	Smaller
	Same
	Larger
)

// Alpha is the error probability that Gate allows.
const Alpha = 1 - Confidence

// Gate judges a contrast: Smaller or Larger if the adjusted p is below Alpha and the 95 % interval of
// the ratio lies wholly beyond 1 − margin or 1 + margin; Same if it lies wholly between them; otherwise
// Unclear. adjusted is P after Holm.
func (c Contrast) Gate(margin, adjusted float64) Place {
	where := c.place(margin, c.Half(Confidence))
	if (where == Smaller || where == Larger) && !(adjusted < Alpha) {
		return Unclear
	}
	return where
}

// place is the position of the ratio's interval with the given half-width.
func (c Contrast) place(margin, half float64) Place {
	low, high := math.Expm1(c.Difference-half), math.Expm1(c.Difference+half)
	switch {
	case math.IsNaN(low) || math.IsNaN(high) || math.IsInf(half, 1):
		return Unclear
	case high < -margin:
		return Smaller
	case low > margin:
		return Larger
	case low > -margin && high < margin:
		return Same
	}
	return Unclear
}

// Settling is the half-width, on the logarithmic scale, at which an unclear contrast would probably be
// clear: the distance from the difference to the nearer edge of the margin, or from no change to that
// edge if that is less. It is at least a fifth of the margin: a difference that equals the margin is
// never settled, however long one measures.
func (c Contrast) Settling(margin float64) float64 {
	if margin <= 0 {
		return math.Abs(c.Difference)
	}
	upper, lower := math.Log1p(margin), -math.Log1p(-margin)
	edge := math.Min(math.Abs(c.Difference-upper), math.Abs(c.Difference+lower))
	return math.Max(math.Min(edge, lower), lower/5)
}

// Holm adjusts p-values for multiple testing (S. Holm, Scandinavian Journal of Statistics 6, 1979): the
// probability that any true null hypothesis among them is rejected at Alpha stays below Alpha. The
// results are in the order of p.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = math.Max(least, math.Min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = least
	}
	return adjusted
}
