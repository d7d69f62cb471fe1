package trust

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/judge/stats"
)

// piecesByDefinition are the means of the repeats' parts within the given seconds.
func piecesByDefinition(s *series, from, to int) []float64 {
	var list []float64
	for i := from; i < to; {
		j := i
		for j < to && s.repeat[j] == s.repeat[i] {
			j++
		}
		ios, seconds := 0.0, 0.0
		for k := i; k < j; k++ {
			ios, seconds = ios+s.rate[k]*(s.end[k]-s.begin[k]), seconds+s.end[k]-s.begin[k]
		}
		list = append(list, ios/seconds)
		i = j
	}
	return list
}

// differByDefinition is the p-value of their difference by a t test.
func differByDefinition(s *series, end, at int) float64 {
	pre, post := piecesByDefinition(s, 0, end), piecesByDefinition(s, at, len(s.rate))
	df := float64(len(pre) + len(post) - 2)
	if df < 2 {
		return 1
	}
	a, b := stats.Mean(pre), stats.Mean(post)
	var square float64
	for _, v := range pre {
		square += (v - a) * (v - a)
	}
	for _, v := range post {
		square += (v - b) * (v - b)
	}
	spread := math.Max(math.Sqrt(square/df), stats.Floor*math.Max(a, b))
	return stats.StudentP(math.Abs(a-b)/(spread*math.Sqrt(1/float64(len(pre))+1/float64(len(post)))), df)
}

func TestPiecesDifferAsTheirDefinitionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, clock := &series{}, 0.0
		for range rapid.IntRange(3, 12).Draw(t, "repeats") {
			level := rapid.Float64Range(100, 1000).Draw(t, "level")
			for range rapid.IntRange(1, 5).Draw(t, "seconds") {
				s.rate = append(s.rate, level+rapid.Float64Range(-20, 20).Draw(t, "noise"))
				s.repeat = append(s.repeat, s.repeats)
				s.begin = append(s.begin, clock)
				clock += rapid.SampledFrom([]float64{0.5, 1, 5}).Draw(t, "length")
				s.end = append(s.end, clock)
			}
			s.repeats++
		}
		p := s.pieces()
		for at := 2; at <= len(s.rate)-2; at++ {
			for _, end := range []int{at, at - 1} {
				if got, want := p.differ(end, at), differByDefinition(s, end, at); math.Abs(got-want) > 1e-9*want+1e-300 {
					t.Fatalf("%d seconds before and from %d on differ with p = %g, want %g", end, at, got, want)
				}
			}
		}
	})
}
