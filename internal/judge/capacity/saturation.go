package capacity

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
)

const (
	// branchLevel is the probability of finding a second branch if there is only one; bendLevel that of
	// calling a good point bent, one-sided half of it.
	branchLevel = 0.05
	bendLevel   = 0.01
	// manyDF is the degrees of freedom of a known error.
	manyDF = 1e6
)

// saturation is a fit of ln X = min(ln x₁ + ln n, ln C). A branch without points has a count of 0 and
// an infinite constant.
type saturation struct {
	first, capacity float64 // ln x₁, ln C
	linear, flat    int     // points on each branch
	bent            []observation
	least           float64 // the smallest number of volumes of a point
	// spreadLinear and spreadFlat are the standard deviations of one point around its branch, never
	// less than the points' own intervals imply; 0 if unknown.
	spreadLinear, spreadFlat float64
	dfLinear, dfFlat         float64 // degrees of freedom behind them
}

func (s *saturation) at(n float64) float64 { return math.Min(s.first+math.Log(n), s.capacity) }

// squares is the sum of squared residuals.
func (s *saturation) squares(points []observation) float64 {
	sum := 0.0
	for _, p := range points {
		d := p.log - s.at(p.n)
		sum += d * d
	}
	return sum
}

// fitSaturation minimises the squared residuals exactly: for every way to split the sorted points into
// a linear and a flat branch, the best constants are means. A branch that the points do not show at
// branchLevel is dropped, and points directly after the knee that lie below the rest of the flat branch
// are excluded from it: min() is the limit of a curve that is rounded there.
func fitSaturation(points []observation) *saturation {
	fit := bestSplit(points)
	kept := append([]observation(nil), points...)
	for {
		at, _ := splitCount(fit, kept)
		if !isBent(kept[at:]) {
			break
		}
		fit.bent = append(fit.bent, kept[at])
		kept = append(kept[:at:at], kept[at+1:]...)
		fit.capacity = meanLog(kept[at:])
	}
	fit.least = points[0].n
	fit.linear, fit.flat = splitCount(fit, kept)
	fit.dropBranch(kept)
	fit.spreads(kept)
	return fit
}

// bestSplit is the pair of constants with the least sum of squares. Apart from the means of both
// branches, the minimum can be where the knee coincides with a point.
func bestSplit(points []observation) *saturation {
	best := &saturation{}
	least := math.Inf(1)
	try := func(first, capacity float64) {
		s := &saturation{first: first, capacity: capacity}
		if sum := s.squares(points); sum < least-1e-15 {
			least, best = sum, s
		}
	}
	for k := 0; k <= len(points); k++ {
		first, capacity := meanFirst(points[:k]), meanLog(points[k:])
		try(first, capacity)
		if k == 0 {
			continue
		}
		edge, sum := math.Log(points[k-1].n), 0.0
		for _, p := range points {
			sum += p.log - math.Min(math.Log(p.n), edge)
		}
		a := sum / float64(len(points))
		try(a, a+edge)
	}
	return best
}

// isBent reports whether the first point of the flat branch lies below the others by more than their
// standard deviation explains. This takes three others.
func isBent(flat []observation) bool {
	if len(flat) < 4 {
		return false
	}
	rest := flat[1:]
	s := math.Max(spread(rest, func(observation) float64 { return 0 }), meanNoise(flat))
	m := float64(len(rest))
	short := meanLog(rest) - flat[0].log
	return short > 0 && stats.StudentP(short/(s*math.Sqrt(1+1/m)), m-1) < bendLevel
}

// splitCount counts the points on each branch: those at the knee belong to the flat one.
func splitCount(fit *saturation, points []observation) (linear, flat int) {
	for _, p := range points {
		if fit.first+math.Log(p.n) < fit.capacity-1e-12 {
			linear++
		}
	}
	return linear, len(points) - linear
}

// dropBranch drops one branch unless the null hypothesis that one is sufficient is rejected.
func (s *saturation) dropBranch(points []observation) {
	if s.linear == 0 || s.flat == 0 {
		s.single(points, s.linear > 0)
		return
	}
	both := s.squares(points)
	df := float64(len(points) - 2)
	variance := math.Max(both/math.Max(1, df), meanNoise(points)*meanNoise(points))
	pValue := func(line bool) float64 {
		alone := saturation{}
		alone.single(points, line)
		switch gain := alone.squares(points) - both; {
		case gain <= 1e-18:
			return 1
		case variance == 0:
			return 0
		default:
			return stats.StudentP(math.Sqrt(gain/variance), df)
		}
	}
	line, flat := pValue(true), pValue(false)
	if math.Max(line, flat) > branchLevel {
		s.single(points, line > flat)
	}
}

// single puts all points on one branch.
func (s *saturation) single(points []observation, line bool) {
	s.linear, s.flat, s.first, s.capacity = 0, 0, math.Inf(1), math.Inf(1)
	if line {
		s.linear, s.first = len(points), meanFirst(points)
	} else {
		s.flat, s.capacity = len(points), meanLog(points)
	}
}

// spreads estimates the standard deviation of a point around its branch. A branch with a single point
// borrows that of the other: noise is relative, and nothing else is known.
func (s *saturation) spreads(points []observation) {
	line, flat := points[:s.linear], points[s.linear:]
	s.spreadLinear, s.dfLinear = spread(line, func(p observation) float64 { return math.Log(p.n) }), float64(len(line)-1)
	s.spreadFlat, s.dfFlat = spread(flat, func(observation) float64 { return 0 }), float64(len(flat)-1)
	if s.linear == 1 && s.dfFlat > 0 {
		s.spreadLinear, s.dfLinear = s.spreadFlat, s.dfFlat
	}
	if s.flat == 1 && s.dfLinear > 0 {
		s.spreadFlat, s.dfFlat = s.spreadLinear, s.dfLinear
	}
	s.spreadLinear = math.Max(s.spreadLinear, meanNoise(line))
	s.spreadFlat = math.Max(s.spreadFlat, meanNoise(flat))
	// Without a second point, the point's own interval is taken as that of a normal distribution.
	if s.dfLinear <= 0 && s.spreadLinear > 0 {
		s.dfLinear = manyDF
	}
	if s.dfFlat <= 0 && s.spreadFlat > 0 {
		s.dfFlat = manyDF
	}
}

func meanLog(points []observation) float64 {
	sum := 0.0
	for _, p := range points {
		sum += p.log
	}
	if len(points) == 0 {
		return math.Inf(1)
	}
	return sum / float64(len(points))
}

func meanFirst(points []observation) float64 {
	sum := 0.0
	for _, p := range points {
		sum += p.log - math.Log(p.n)
	}
	if len(points) == 0 {
		return math.Inf(1)
	}
	return sum / float64(len(points))
}

// spread is the standard deviation of the points' logarithms after subtracting the branch; 0 below two
// points.
func spread(points []observation, branch func(observation) float64) float64 {
	if len(points) < 2 {
		return 0
	}
	y := make([]float64, len(points))
	for i, p := range points {
		y[i] = p.log - branch(p)
	}
	return stats.StdDev(y)
}

// meanNoise is the root mean square of the points' own relative errors.
func meanNoise(points []observation) float64 {
	if len(points) == 0 {
		return 0
	}
	sum := 0.0
	for _, p := range points {
		sum += p.noise * p.noise
	}
	return math.Sqrt(sum / float64(len(points)))
}
