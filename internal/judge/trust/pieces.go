package trust

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
)

// pieces are the means of the parts of repeats on either side of a cut, for every possible cut of a
// series of repeats. Sums over whole repeats are kept from both ends, so that the cost of a cut is only
// that of the two repeats that it divides.
type pieces struct {
	repeat []int
	// ios[i] and time[i] are the I/Os and the length, in seconds, of the seconds before second i. first[i] is the
	// first second of the repeat that contains second i, and next[i] the first second of the following repeat.
	ios, time   []float64
	first, next []int
	// front[v] covers the whole repeats before repeat v, back[v] those from v on.
	front, back []moments
}

// moments are the number, the mean and the sum of squared deviations of some values.
type moments struct{ n, mean, square float64 }

// with adds one value to the moments (Welford's recurrence).
func (m moments) with(v float64) moments {
	away := v - m.mean
	m.n++
	m.mean += away / m.n
	m.square += away * (v - m.mean)
	return m
}

func (s *series) pieces() *pieces {
	n := len(s.rate)
	p := &pieces{repeat: s.repeat, ios: make([]float64, n+1), time: make([]float64, n+1), first: make([]int, n), next: make([]int, n)}
	var means []float64
	for i := 0; i < n; {
		j := i
		for ; j < n && s.repeat[j] == s.repeat[i]; j++ {
			length := s.end[j] - s.begin[j]
			p.ios[j+1], p.time[j+1] = p.ios[j]+s.rate[j]*length, p.time[j]+length
		}
		for k := i; k < j; k++ {
			p.first[k], p.next[k] = i, j
		}
		means = append(means, s.mean(i, j))
		i = j
	}
	p.front, p.back = make([]moments, len(means)+1), make([]moments, len(means)+1)
	for v := range means {
		p.front[v+1] = p.front[v].with(means[v])
	}
	for v := len(means) - 1; v >= 0; v-- {
		p.back[v] = p.back[v+1].with(means[v])
	}
	return p
}

// differ is the p-value of the difference between the pieces of repeats before second end and those
// from second at on.
func (p *pieces) differ(end, at int) float64 {
	pre, post := p.front[p.repeat[end-1]], p.back[p.repeat[at]]
	pre = pre.with(p.mean(p.first[end-1], end))
	if at > p.first[at] {
		post = p.back[p.repeat[at]+1].with(p.mean(at, p.next[at]))
	}
	df := pre.n + post.n - 2
	if df < 2 {
		return 1
	}
	// Nothing is known more precisely than to a quarter of a percent.
	spread := math.Max(math.Sqrt((pre.square+post.square)/df), stats.Floor*math.Max(pre.mean, post.mean))
	t := math.Abs(pre.mean-post.mean) / (spread * math.Sqrt(1/pre.n+1/post.n))
	return stats.StudentP(t, df)
}

// mean is the mean rate of some seconds of one repeat.
func (p *pieces) mean(from, to int) float64 {
	return (p.ios[to] - p.ios[from]) / (p.time[to] - p.time[from])
}
