package stats

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// enoughRepeats of enoughMembers that take turns show a correlation of up to longestOfAll per second: they follow
// each other closely, where the repeats of one member are as far apart as the others take. With 0.95, the intervals
// of a run of 18 repeats in 54 s cover 93.1 % (3,000 simulated runs) if seconds are correlated by 0.9, and 95.6 % by
// 0.8; with 0.9, and less where the seconds of a member say so, it was 90.9 % and 94.8 %.
const (
	enoughRepeats = 18
	enoughMembers = 3
	longestOfAll  = 0.95
)

// sequence describes how the repeats of a run, of whatever workload, follow each other: a storage
// effect that outlasts a repeat also affects the next one.
type sequence struct {
	// n repeats have a correlation of neighbour with the next one, apart seconds later.
	n                int
	neighbour, apart float64
	// turns is set if they are enough, of enough members that take turns.
	turns bool
}

// follow puts the values of all members that are alike into one sequence, each relative to the mean and
// standard deviation of its workload.
func (c *RepeatModel) follow(values func(m *member) []float64) sequence {
	// Repeats of the same time, such as the reads and the writes of a mix, are one repeat.
	type moment struct{ begin, sum, count float64 }
	at := map[float64]*moment{}
	firsts := map[float64]bool{}
	for i := range c.members {
		m := &c.members[i]
		y := values(m)
		sd := StdDev(y)
		if m.steady || m.odd || !(sd > 0) {
			continue
		}
		// Few repeats estimate their standard deviation badly.
		sd = math.Max(sd, math.Sqrt(m.prior.at(m.size)))
		mean := Mean(y)
		firsts[m.repeats[0].Begin] = true
		for j, v := range y {
			begin := m.repeats[j].Begin
			if at[begin] == nil {
				at[begin] = &moment{begin: begin}
			}
			at[begin].sum += (v - mean) / sd
			at[begin].count++
		}
	}
	s := sequence{n: len(at), neighbour: maxCorrelation}
	if s.n < 4 {
		return s
	}
	moments := slices.SortedFunc(maps.Values(at), func(a, b *moment) int { return cmp.Compare(a.begin, b.begin) })
	y := make([]float64, s.n)
	for i, p := range moments {
		y[i] = p.sum / p.count
	}
	s.neighbour = Correlation(y)
	s.apart = (moments[s.n-1].begin - moments[0].begin) / float64(s.n-1)
	s.turns = s.n >= enoughRepeats && len(firsts) >= enoughMembers
	return s
}

// reach is a cautious correlation between consecutive repeats of m: what remains of the correlation of its
// seconds after the pause, or that of the repeats of all members if that is less. If there are enough of the
// latter, they decide up to the longest correlation that they can show, since the few seconds of one member
// tell little of their own correlation; not for a member that is unlike them.
func (s sequence) reach(m *member) float64 {
	rho := SecondsCorrelation(m.repeats)
	if s.apart > 0 {
		length, pause := lengthAndPause(m.repeats)
		if s.turns && !m.steady && !m.odd {
			rho = math.Max(rho, meanCorrelation(longestOfAll, math.Max(1, length), pause))
		}
		between := (m.repeats[len(m.repeats)-1].Begin - m.repeats[0].Begin) / float64(len(m.repeats)-1)
		rho = math.Min(rho, math.Pow(s.neighbour, between/s.apart))
	}
	return rho
}

// freedom is the degrees of freedom of all repeats together: fewer than there are repeats if they are
// correlated.
func (s sequence) freedom() float64 {
	if s.n < 4 {
		return 0
	}
	return freedom(s.n, math.Max(0, s.neighbour-1/math.Sqrt(float64(s.n))))
}
