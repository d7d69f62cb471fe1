package stats

import (
	"math"
	"slices"
)

// Segment is a stretch of a series around one level: the values from index From up to, but not
// including, To.
type Segment struct {
	From, To int
	Mean     float64
}

// Segments cuts a series where its level changes: the cut with the least sum of squares plus a penalty
// of 3·s²·(1+φ)/(1−φ)·ln n for each change, found by pruned dynamic programming (PELT: Killick,
// Fearnhead and Eckley, 2012). No segment is shorter than least values; with such a bound the pruning is not exact: a change
// that is worth a little less than the penalty may be cut.
//
// s and φ are the standard deviation and the correlation of the noise: of the residuals around the
// three levels that fit best, because around the common mean a change itself would look like noise, and
// like highly correlated noise.
//
// Pruning saves nothing if nothing changes, so the exact search takes quadratic time. Beyond an hour of
// seconds, not every place is tried, but only those of a grid and those at which the same search cuts
// one of the windows into which the series is divided twice; so anything shorter than half a window is
// still found exactly. At the end each cut is moved to the best place near it.
func Segments(y []float64, least int) []Segment { return segments(y, least, hourly) }

// reach says how many places are tried: up to all values, every one; beyond that, a grid of as many,
// and the cuts found in windows of window values.
type reach struct{ all, window int }

var hourly = reach{all: 3600, window: 600}

func segments(y []float64, least int, r reach) []Segment {
	n := len(y)
	least = max(1, least)
	if n < 2*least {
		return []Segment{{0, n, Mean(y)}}
	}
	c := newCosts(y)
	penalty := c.penalty(y, least, r)
	var ends []int
	if n <= r.all {
		ends = c.cut(grid(0, n, 1), least, penalty)
	} else {
		ends = c.cut(c.places(n, least, penalty, r), least, penalty)
		c.settle(ends, least, step(n, r.all))
	}
	list := make([]Segment, 0, len(ends))
	from := 0
	for _, to := range ends {
		list = append(list, Segment{from, to, Mean(y[from:to])})
		from = to
	}
	return list
}

// step is the spacing of a grid with at most most places in n.
func step(n, most int) int { return max(1, (n+most-1)/most) }

// grid lists the places from one to another at a given spacing, both included.
func grid(from, to, distance int) []int {
	var list []int
	for i := from; i < to; i += distance {
		list = append(list, i)
	}
	return append(list, to)
}

// places are where a long series may be cut.
func (c costs) places(n, least int, penalty float64, r reach) []int {
	list := grid(0, n, step(n, r.all))
	window := max(r.window, 2*least)
	for from := 0; from < n; from += window / 2 {
		to := min(from+window, n)
		ends := c.cut(grid(from, to, 1), least, penalty)
		// The last one is the end of the window, not a cut.
		list = append(list, ends[:len(ends)-1]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// cut finds the cheapest cut at some of the places, which are in rising order, from the first to the
// last, and returns where its segments end. A stretch that is shorter than least as a whole is one
// segment.
func (c costs) cut(places []int, least int, penalty float64) []int {
	n := len(places)
	// best[t] is the least cost up to places[t]; last[t] is where its last segment begins.
	best, last := make([]float64, n), make([]int, n)
	for t := range best {
		best[t] = math.Inf(1)
	}
	best[0] = -penalty
	// The starts that may still be optimal, with their costs up to here.
	starts, next := make([]int, 0, n), 0
	here := make([]float64, 0, n)
	for t := 1; t < n; t++ {
		for ; places[t]-places[next] >= least; next++ {
			starts = append(starts, next)
		}
		here = here[:0]
		for _, s := range starts {
			v := best[s] + c.of(places[s], places[t])
			here = append(here, v)
			if v+penalty < best[t] {
				best[t], last[t] = v+penalty, s
			}
		}
		kept := starts[:0]
		for i, s := range starts {
			if here[i] <= best[t] {
				kept = append(kept, s)
			}
		}
		starts = kept
	}
	var ends []int
	for t := n - 1; t > 0; t = last[t] {
		ends = append(ends, places[t])
	}
	slices.Reverse(ends)
	return ends
}

// settle moves each cut to the best place within a distance.
func (c costs) settle(ends []int, least, distance int) {
	for range 3 {
		moved := false
		for k := range len(ends) - 1 {
			from, to := 0, ends[k+1]
			if k > 0 {
				from = ends[k-1]
			}
			at, lowest := ends[k], c.of(from, ends[k])+c.of(ends[k], to)
			for p := max(from+least, ends[k]-distance); p <= min(to-least, ends[k]+distance); p++ {
				if v := c.of(from, p) + c.of(p, to); v < lowest {
					at, lowest = p, v
				}
			}
			moved = moved || at != ends[k]
			ends[k] = at
		}
		if !moved {
			return
		}
	}
}

// costs are running sums, so that the sum of squares of any stretch around its
// mean takes constant time.
type costs struct{ sum, square []float64 }

func newCosts(y []float64) costs {
	c := costs{make([]float64, len(y)+1), make([]float64, len(y)+1)}
	// Relative to the mean, so that large levels do not lose small variations to rounding.
	m := Mean(y)
	for i, v := range y {
		c.sum[i+1] = c.sum[i] + v - m
		c.square[i+1] = c.square[i] + (v-m)*(v-m)
	}
	return c
}

// of is the sum of squares of y[from:to] around its mean.
func (c costs) of(from, to int) float64 {
	s := c.sum[to] - c.sum[from]
	return math.Max(0, c.square[to]-c.square[from]-s*s/float64(to-from))
}

// penalty is the penalty for a change.
func (c costs) penalty(y []float64, least int, r reach) float64 {
	n := len(y)
	distance := 1
	if n > r.all {
		distance = step(n, r.all/2)
	}
	i, j := c.twoChanges(n, least, distance)
	residuals := make([]float64, 0, n)
	for _, piece := range [][]float64{y[:i], y[i:j], y[j:]} {
		m := Mean(piece)
		for _, v := range piece {
			residuals = append(residuals, v-m)
		}
	}
	phi := Correlation(residuals)
	return 3 * Variance(residuals) * (1 + phi) / (1 - phi) * math.Log(float64(n))
}

// twoChanges cuts where three levels fit best: one change and the way back. Below three times the
// minimum length there is one change. For a long series the places of a grid are tried first, and then
// those between.
func (c costs) twoChanges(n, least, distance int) (i, j int) {
	lowest := math.Inf(1)
	for a := least; a <= n-least; a += distance {
		first := c.of(0, a)
		if v := first + c.of(a, n); v < lowest {
			i, j, lowest = a, n, v
		}
		for b := a + max(least, distance); b <= n-least; b += distance {
			if v := first + c.of(a, b) + c.of(b, n); v < lowest {
				i, j, lowest = a, b, v
			}
		}
	}
	if distance > 1 {
		ends := []int{i, j, n}
		if j == n {
			ends = ends[:2]
		}
		c.settle(ends, least, distance)
		i, j = ends[0], ends[1]
	}
	return i, j
}
