package stats

import "math"

// Segment is a stretch of a series around one level: the values from index From
// up to, but without, To.
type Segment struct {
	From, To int
	Mean     float64
}

// Segments cuts a series where its level changes: the cut with the least sum of
// squares plus a penalty of 3·s²·(1+φ)/(1−φ)·ln n for each change, found exactly
// by pruned dynamic programming (PELT: Killick, Fearnhead and Eckley, 2012). No
// segment is shorter than least values.
//
// s and φ are the spread and the correlation of the noise: of the residuals
// around the three levels that fit best, because around the common mean a change
// itself would look like noise, and like a very correlated one.
func Segments(y []float64, least int) []Segment {
	n := len(y)
	least = max(1, least)
	c := newCosts(y)
	if n < 2*least {
		return []Segment{{0, n, Mean(y)}}
	}
	penalty := c.penalty(y, least)
	// best[t] is the least cost of y[:t]; last[t] where its last segment begins.
	best, last := make([]float64, n+1), make([]int, n+1)
	for t := range best {
		best[t] = math.Inf(1)
	}
	best[0] = -penalty
	starts := []int{0}
	for t := least; t <= n; t++ {
		for _, s := range starts {
			if v := best[s] + c.of(s, t) + penalty; t-s >= least && v < best[t] {
				best[t], last[t] = v, s
			}
		}
		kept := starts[:0]
		for _, s := range starts {
			if t-s < least || best[s]+c.of(s, t) <= best[t] {
				kept = append(kept, s)
			}
		}
		starts = append(kept, t-least+1)
	}
	var list []Segment
	for t := n; t > 0; t = last[t] {
		list = append([]Segment{{last[t], t, Mean(y[last[t]:t])}}, list...)
	}
	return list
}

// costs are running sums, so that the sum of squares of any stretch around its
// mean takes constant time.
type costs struct{ sum, square []float64 }

func newCosts(y []float64) costs {
	c := costs{make([]float64, len(y)+1), make([]float64, len(y)+1)}
	// Around a middle value, so that large levels do not swallow small spreads.
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

// penalty is the price of a change.
func (c costs) penalty(y []float64, least int) float64 {
	n := len(y)
	i, j := c.twoChanges(n, least)
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

// twoChanges cuts where three levels fit best: one change and the way back.
// Below three times the least length it is one change.
func (c costs) twoChanges(n, least int) (i, j int) {
	lowest := math.Inf(1)
	for a := least; a <= n-least; a++ {
		if v := c.of(0, a) + c.of(a, n); v < lowest {
			i, j, lowest = a, n, v
		}
		for b := a + least; b <= n-least; b++ {
			if v := c.of(0, a) + c.of(a, b) + c.of(b, n); v < lowest {
				i, j, lowest = a, b, v
			}
		}
	}
	return i, j
}
