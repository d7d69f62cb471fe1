package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// slopes are those of all pairs of points with different t, in rising order. For few points they are
// all computed. For many, the one of a given rank is found without the others, in O(n log n) time and
// O(n) memory: the pairs with a slope in (a, b] are those whose order differs between y − a·t and y −
// b·t, and they can be counted, and sampled at random, while one order is sorted into the other; so
// brackets around the rank are narrowed by samples until they hold few enough to be listed (M.
// Dillencourt, D. Mount, N. Netanyahu, Int. J. of Computational Geometry & Applications 2, 1992). The
// seed is fixed, and the result does not depend on it.
type slopes struct {
	count int
	// listed are all slopes if there are few points.
	listed []float64
	// t and y are the points if there are many, ordered by t, then by y, relative to a middle value.
	t, y []float64
	// blur is the rounding error of a slope that is only determined by an order.
	blur float64
	rng  *rand.Rand
}

const (
	// fewPoints is the number of points up to which all slopes are listed.
	fewPoints = 500
	// listedPairs is the number of slopes per point that are listed at the end.
	listedPairs = 4
	// mostBrackets stops a search that rounding errors keep from ending: far more than the five or so
	// that it takes.
	mostBrackets = 100
)

func newSlopes(t, y []float64) *slopes { return slopesOf(t, y, fewPoints) }

// slopesOf is newSlopes with another limit.
func slopesOf(t, y []float64, few int) *slopes {
	n := len(y)
	s := &slopes{}
	if n <= few {
		for i := range n {
			for j := i + 1; j < n; j++ {
				if t[j] != t[i] {
					s.listed = append(s.listed, (y[j]-y[i])/(t[j]-t[i]))
				}
			}
		}
		slices.Sort(s.listed)
		s.count = len(s.listed)
		return s
	}
	s.rng = rand.New(rand.NewPCG(1, 2))
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(t[a], t[b]), cmp.Compare(y[a], y[b])) })
	s.t, s.y = make([]float64, n), make([]float64, n)
	middle, level := t[order[n/2]], Mean(y)
	var high, same float64
	near := math.Inf(1)
	s.count = n * (n - 1) / 2
	for k, i := range order {
		s.t[k], s.y[k] = t[i]-middle, y[i]-level
		high = math.Max(high, math.Abs(s.y[k]))
		if k == 0 {
			continue
		}
		if d := t[i] - t[order[k-1]]; d > 0 {
			near, same = math.Min(near, d), 0
		} else {
			same++
			s.count -= int(same)
		}
	}
	s.blur = 0x1p-40 * high / near
	return s
}

// quantile is the p-quantile, interpolated between neighbours.
func (s *slopes) quantile(p float64) float64 {
	place := p * float64(s.count-1)
	i := int(place)
	v := s.at(i)
	if rest := place - float64(i); rest > 0 && i+1 < s.count {
		v += rest * (s.at(i+1) - v)
	}
	return v
}

// bracket holds the slopes in (low, high]: count of them, with before lower ones. orders are those of
// the points by y − slope·t at both ends.
type bracket struct {
	low, high     float64
	before, count int
	orders        [2][]int32
}

// at is the slope of rank k, from 0.
func (s *slopes) at(k int) float64 {
	if s.t == nil {
		return s.listed[k]
	}
	n := len(s.t)
	b := bracket{low: math.Inf(-1), high: math.Inf(1), count: s.count}
	b.orders = [2][]int32{s.order(b.low), s.order(b.high)}
	for range mostBrackets {
		if b.count <= listedPairs*n {
			break
		}
		b = s.narrower(b, k)
		if b.high-b.low <= 4*s.blur {
			break
		}
	}
	// If there are still more, they are all equal.
	found := s.draw(b, listedPairs*n)
	slices.Sort(found)
	if b.count <= listedPairs*n {
		return found[min(max(0, k-b.before), len(found)-1)]
	}
	return found[(k-b.before)*len(found)/b.count]
}

// narrower is a part of the bracket that contains the slope of rank k.
func (s *slopes) narrower(b bracket, k int) bracket {
	sample := s.draw(b, len(s.t))
	slices.Sort(sample)
	m := float64(len(sample))
	share := (float64(k-b.before) + 0.5) / float64(b.count)
	// Three standard deviations of the sampled rank, so that the rank rarely lies outside.
	reach := 3*math.Sqrt(m*share*(1-share)) + 1
	var cuts []float64
	for _, i := range []int{int(math.Floor(share*m - reach)), int(share*m + reach)} {
		if i >= 0 && i < len(sample) {
			// On both sides, as many slopes may be equal.
			cuts = append(cuts, sample[i]-s.blur, sample[i]+s.blur)
		}
	}
	slices.Sort(cuts)
	for _, high := range append(cuts, b.high) {
		if high <= b.low || high > b.high {
			continue
		}
		order := b.orders[1]
		if high < b.high {
			order = s.order(high)
		}
		count := s.between(b.orders[0], order, nil, nil)
		if k < b.before+count {
			return bracket{b.low, high, b.before, count, [2][]int32{b.orders[0], order}}
		}
		b.low, b.before, b.orders[0] = high, b.before+count, order
	}
	return b
}

// order sorts the points by y − slope·t; ties are ordered by decreasing t, so that pairs with that
// slope count as lower.
func (s *slopes) order(slope float64) []int32 {
	n := len(s.t)
	order, key := make([]int32, n), make([]float64, n)
	for i := range order {
		order[i] = int32(i)
		switch {
		case math.IsInf(slope, -1):
			key[i] = s.t[i]
		case math.IsInf(slope, 1):
			key[i] = -s.t[i]
		default:
			key[i] = s.y[i] - slope*s.t[i]
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		if s.t[a] == s.t[b] {
			// No slope: they keep the order of y.
			return cmp.Compare(a, b)
		}
		return cmp.Or(cmp.Compare(key[a], key[b]), cmp.Compare(b, a))
	})
	return order
}

// draw lists all slopes of a bracket, or a random sample of most of them if it has more.
func (s *slopes) draw(b bracket, most int) []float64 {
	ranks := make([]int, min(most, b.count))
	for i := range ranks {
		ranks[i] = i
		if b.count > most {
			ranks[i] = s.rng.IntN(b.count)
		}
	}
	slices.Sort(ranks)
	list := make([]float64, 0, len(ranks))
	s.between(b.orders[0], b.orders[1], ranks, func(i, j int32) {
		list = append(list, (s.y[j]-s.y[i])/(s.t[j]-s.t[i]))
	})
	return list
}

// between counts the pairs that are in opposite order in the two orders, and passes on those with the
// given numbers, in rising order.
func (s *slopes) between(from, to []int32, numbers []int, take func(i, j int32)) int {
	n := len(from)
	place := make([]int32, n)
	for at, i := range to {
		place[i] = int32(at)
	}
	list, spare := slices.Clone(from), make([]int32, n)
	count := 0
	for width := 1; width < n; width *= 2 {
		for a := 0; a < n; a += 2 * width {
			middle, end := min(a+width, n), min(a+2*width, n)
			left, right := a, middle
			for k := a; k < end; k++ {
				if right == end || left < middle && place[list[left]] <= place[list[right]] {
					spare[k] = list[left]
					left++
					continue
				}
				// It overtakes all that are left on the other side.
				for ; len(numbers) > 0 && numbers[0] < count+middle-left; numbers = numbers[1:] {
					take(list[left+numbers[0]-count], list[right])
				}
				count += middle - left
				spare[k] = list[right]
				right++
			}
		}
		list, spare = spare, list
	}
	return count
}
