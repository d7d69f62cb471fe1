package stats

import (
	"math"
	"slices"
)

// Dip is Hartigan's dip of the values: the largest distance between their empirical distribution and
// the nearest one with a single mode (J. A. Hartigan and P. M. Hartigan, The Dip Test of Unimodality,
// 1985). Between 1/(2n) and 1/4; 0 below four values.
//
// The nearest unimodal distribution is convex up to its modal interval and concave after it. The
// interval is narrowed, starting from all values: in each round, the new ends lie where the greatest
// convex minorant and the least concave majorant between the old ends are farthest apart; the distance
// of each outer part from its hull is a lower bound for the dip.
func Dip(y []float64) float64 {
	n := len(y)
	if n < 4 {
		return 0
	}
	x := slices.Sorted(slices.Values(y))
	if x[0] == x[n-1] {
		return 1 / (2 * float64(n))
	}
	low, high, dip := 0, n-1, 1.0
	for {
		under, over := hull(x, low, high, true), hull(x, low, high, false)
		gap, left, right := widest(x, under, over)
		if gap <= dip {
			break
		}
		dip = max(dip, loss(x, under, low, left, true), loss(x, over, right, high, false))
		if left == low && right == high {
			break
		}
		low, high = left, right
		if high-low < 2 {
			break
		}
	}
	return dip / (2 * float64(n))
}

// hull returns the corners (indices) of the greatest convex minorant of the
// points (x_i, i) between low and high, or of their least concave majorant.
func hull(x []float64, low, high int, convex bool) []int {
	corners := []int{low}
	for i := low + 1; i <= high; i++ {
		for len(corners) > 1 {
			a, b := corners[len(corners)-2], corners[len(corners)-1]
			cross := (x[b]-x[a])*float64(i-a) - (x[i]-x[a])*float64(b-a)
			if convex && cross > 0 || !convex && cross < 0 {
				break
			}
			corners = corners[:len(corners)-1]
		}
		corners = append(corners, i)
	}
	return corners
}

// at is the height of the hull at index i's value, interpolated between the corners on either side.
func at(x []float64, a, b, i int) float64 {
	if x[a] == x[b] {
		return float64(b)
	}
	return float64(a) + (x[i]-x[a])*float64(b-a)/(x[b]-x[a])
}

// widest finds where the two hulls are farthest apart, in ranks, and the corners of the minorant before
// and the majorant after that place.
func widest(x []float64, under, over []int) (gap float64, left, right int) {
	left, right = under[0], over[len(over)-1]
	for k, j := 0, 0; k < len(under) || j < len(over); {
		// The corners of both hulls in rising order.
		fromUnder := j >= len(over) || k < len(under) && under[k] <= over[j]
		if fromUnder {
			i := under[k]
			b := corner(over, i)
			if d := at(x, over[b-1], over[b], i) - float64(i) + 1; d >= gap {
				gap, left, right = d, i, over[b]
			}
			k++
			continue
		}
		i := over[j]
		b := corner(under, i)
		if d := float64(i) - at(x, under[b-1], under[b], i) + 1; d >= gap {
			gap, left, right = d, under[b-1], i
		}
		j++
	}
	return gap, left, right
}

// corner is the position (at least 1) of the first corner at or after index i.
func corner(corners []int, i int) int {
	p, _ := slices.BinarySearch(corners, i)
	return min(max(1, p), len(corners)-1)
}

// loss is the largest distance in ranks between the points from index a to b and that part of the hull.
func loss(x []float64, corners []int, a, b int, convex bool) float64 {
	most := 1.0
	for k := 1; k < len(corners); k++ {
		from, to := corners[k-1], corners[k]
		if from < a || to > b || x[from] == x[to] {
			continue
		}
		for i := from; i <= to; i++ {
			d := float64(i) - at(x, from, to, i) + 1
			if !convex {
				d = at(x, from, to, i) - float64(i) + 1
			}
			most = max(most, d)
		}
	}
	return most
}

// dipCritical is the 99 % quantile of √n·Dip for the uniform distribution, the hardest unimodal one, at
// large n; smaller n have smaller quantiles (0.51 at 10, 0.59 at 100), so one value is conservative for
// all. By simulation.
const dipCritical = 0.61

// TwoModes reports whether the values come from two modes (dip test, p < 0.01) and where those are: the
// means of the two groups with the smallest sum of squares. effective is the number of independent
// values to which y is equivalent.
func TwoModes(y []float64, effective float64) (low, high float64, two bool) {
	if len(y) < 4 || math.Sqrt(effective)*Dip(y) <= dipCritical {
		return 0, 0, false
	}
	low, high = groups(y)
	return low, high, true
}

// groups splits the values in two so that the sum of squares within the groups is smallest, and returns
// their means.
func groups(y []float64) (low, high float64) {
	x := slices.Sorted(slices.Values(y))
	var sum, square float64
	for _, v := range x {
		sum += v
		square += v * v
	}
	best := math.Inf(1)
	var s, q float64
	for i := 1; i < len(x); i++ {
		s += x[i-1]
		q += x[i-1] * x[i-1]
		n, m := float64(i), float64(len(x)-i)
		if within := q - s*s/n + (square - q) - (sum-s)*(sum-s)/m; within < best {
			best, low, high = within, s/n, (sum-s)/m
		}
	}
	return low, high
}
