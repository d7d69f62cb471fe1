package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

// curve is a fitted law: ln X at n, and the half-width of the 95 % interval of one new measurement
// there (NaN if the points do not determine it).
type curve interface {
	at(n float64) float64
	reach(n float64) float64
}

// minPoints is the minimum number of points for a fit.
const minPoints = 3

// Fit fits the laws to the points of a scale: the chosen one first, the others ordered by their errors.
// Chosen is the simplest law (min, Amdahl's, the universal one) unless another predicts left-out inner
// points clearly better. Points with a rate limit, invalid ones, and those on another number of nodes
// than most are excluded. It fails with a sentence if fewer than three points remain.
func Fit(s *model.Scale) ([]model.Law, error) {
	points := observations(s)
	if distinct(points) < minPoints {
		return nil, model.RefusedError(fmt.Sprintf("%s has %s that a law can be fitted to, and it takes %d different numbers of volumes",
			s.Workload, countPoints(distinct(points)), minPoints), "measure more numbers of volumes, such as 1, 3, 6 and 12")
	}
	unit, largest := s.Metric.Unit(), 0.0
	for _, p := range points {
		largest = math.Max(largest, math.Exp(p.log))
	}
	var laws []model.Law
	for _, kind := range []model.LawKind{model.SaturationLaw, model.AmdahlLaw, model.USLLaw} {
		c := fitKind(kind, points)
		if c == nil {
			continue
		}
		var l model.Law
		switch fit := c.(type) {
		case *saturation:
			l = fit.law(unit)
		case *contention:
			l = fit.law(unit, largest)
		}
		l.Error = leaveOneOut(kind, points)
		for _, p := range points {
			l.Residuals = append(l.Residuals, p.log-c.at(p.n))
		}
		l.Band = band(c, points)
		laws = append(laws, l)
	}
	best := 0
	for i := range laws {
		if i > 0 && beats(laws[i].Error, laws[best].Error, meanNoise(points)) {
			best = i
		}
	}
	winner := laws[best]
	laws = slices.Delete(laws, best, best+1)
	slices.SortStableFunc(laws, func(a, b model.Law) int { return cmp.Compare(a.Error, b.Error) })
	laws = slices.Insert(laws, 0, winner)
	laws[0].Chosen = true
	return laws, nil
}

// beats reports whether a law replaces a simpler one: it must predict left-out points clearly better,
// and the simpler one must miss them by more than their noise.
func beats(law, simpler, noise float64) bool {
	return law*alike < simpler && simpler > 2*noise
}

// fitKind fits one law; nil if there are too few points for it.
func fitKind(kind model.LawKind, points []observation) curve {
	switch kind {
	case model.AmdahlLaw:
		if c := fitContention(points, 2); c != nil {
			return c
		}
	case model.USLLaw:
		// Without a spare point, none could be left out.
		if c := fitContention(points, 3); c != nil && distinct(points) > 3 {
			return c
		}
	default:
		return fitSaturation(points)
	}
	return nil
}

// leaveOneOut is the root mean square of ln(measured / predicted) over the inner points, each predicted
// from all others. The ends are never left out: predicting them is extrapolation, and no law is judged
// by that.
func leaveOneOut(kind model.LawKind, points []observation) float64 {
	sum, count := 0.0, 0
	for i, p := range points {
		if p.n == points[0].n || p.n == points[len(points)-1].n {
			continue
		}
		rest := append(append([]observation(nil), points[:i]...), points[i+1:]...)
		var c curve
		switch kind {
		case model.USLLaw:
			if fit := fitContention(rest, 3); fit != nil {
				c = fit
			}
		default:
			c = fitKind(kind, rest)
		}
		if c == nil {
			return math.MaxFloat64
		}
		d := p.log - c.at(p.n)
		sum += d * d
		count++
	}
	return math.Sqrt(sum / float64(count))
}

// reach is that of the branch on which n lies.
func (s *saturation) reach(n float64) float64 {
	df, spread, count := s.dfFlat, s.spreadFlat, s.flat
	if s.first+math.Log(n) < s.capacity {
		df, spread, count = s.dfLinear, s.spreadLinear, s.linear
	}
	if df <= 0 || count == 0 || spread == 0 {
		return math.NaN()
	}
	return stats.StudentT(df) * spread * math.Sqrt(1+1/float64(count))
}

// law converts the fit to the model's form. The intervals of x₁ and C are those of a mean of
// logarithms: ± t·s/√m.
func (s *saturation) law(unit string) model.Law {
	l := model.Law{Kind: model.SaturationLaw, Saturated: s.flat}
	for _, p := range s.bent {
		l.Bent = append(l.Bent, int(p.n))
	}
	mean := func(log, df, spread float64, count int) model.Estimate {
		reach := math.NaN()
		if df > 0 {
			reach = stats.StudentT(df) * spread / math.Sqrt(float64(count))
		}
		return exponential(unit, log, reach)
	}
	if s.flat > 0 {
		e := mean(s.capacity, s.dfFlat, s.spreadFlat, s.flat)
		l.Capacity = &e
	}
	switch {
	case s.linear == 0:
		l.AllSaturated = true
		l.Knee = s.least
		v := math.Exp(s.capacity) / s.least
		l.First = model.Estimate{Unit: unit, Value: v, Low: v, High: v}
	default:
		l.First = mean(s.first, s.dfLinear, s.spreadLinear, s.linear)
		if s.flat > 0 {
			l.Knee = math.Exp(s.capacity - s.first)
		}
	}
	return l
}

// beyond is how far past the last point a band is drawn, as a factor.
const beyond = 1.5

// band is the law with its prediction interval from one volume to beyond the last point, at the points
// and between them.
func band(c curve, points []observation) []model.BandPoint {
	first, last := points[0].n, points[len(points)-1].n
	var at []float64
	for _, p := range points {
		at = append(at, p.n)
	}
	// If every point is saturated, nothing is known about fewer volumes.
	from := 1.0
	if s, ok := c.(*saturation); ok && s.linear == 0 {
		from = first
	}
	const steps = 60
	for i := range steps + 1 {
		at = append(at, from+(beyond*last-from)*float64(i)/steps)
	}
	slices.Sort(at)
	var list []model.BandPoint
	for _, n := range slices.Compact(at) {
		v, reach := c.at(n), c.reach(n)
		if math.IsNaN(reach) || math.IsInf(reach, 0) || reach > 700 {
			return nil
		}
		list = append(list, model.BandPoint{Volumes: n, Value: math.Exp(v), Low: math.Exp(v - reach), High: math.Exp(v + reach),
			Extrapolated: n < first || n > last})
	}
	return list
}

func distinct(points []observation) int {
	count := 0
	for i, p := range points {
		if i == 0 || p.n != points[i-1].n {
			count++
		}
	}
	return count
}

func countPoints(n int) string {
	if n == 1 {
		return "one point"
	}
	return fmt.Sprintf("%d points", n)
}
