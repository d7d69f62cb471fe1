package trust

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
)

const (
	// farApart is the minimum distance of the two levels of an unbroken series, in standard deviations
	// of a second.
	farApart = 2.5
	// fartherApart replaces farApart below shortSeconds: in so few seconds the autocorrelation is
	// underestimated. The levels also have to differ by shortLeast then, unless the second one is flat.
	fartherApart = 4.0
	shortLeast   = 0.25
	shortSeconds = 24
	// surely is the minimum distance in standard errors of the difference between two means, for independent
	// seconds: correlated noise stays on one side for a while. surelyAbrupt and surelyGradual, times the
	// correlation, are added to it, because in the place where noise wandered most its correlation is
	// underestimated, and more so if it may take its time. They and walkSurely were chosen by simulation:
	// TestWanderingNoiseIsSteady and TestAFallIsFound.
	surely        = 4.0
	surelyAbrupt  = 2.0
	surelyGradual = 10.0
	// abruptShare is the share of an abrupt change of level that happens within abruptSeconds on either side
	// of it, less noiseShare of a second's standard deviation: correlated noise wanders from one level to the
	// other in many small steps.
	abruptShare   = 0.7
	abruptSeconds = 3
	noiseShare    = 0.5
	// walkSurely is the minimum distance in standard deviations of a random walk, between levels of
	// at most walkSeconds.
	walkSurely  = 4.0
	walkSeconds = 6
)

// apart reports whether the levels from second from to end and from second at to to differ by more than
// their own correlated noise explains. If there is a transition between them, it is from end to at.
func (s *series) apart(from, end, at, to int) bool {
	a, b := s.rate[from:end], s.rate[at:to]
	far := farApart
	if s.short() {
		far = fartherApart
		high, low := math.Max(stats.Mean(a), stats.Mean(b)), math.Min(stats.Mean(a), stats.Mean(b))
		if stats.Scatter(b) > stats.Flat*stats.Mean(b) && low > (1-shortLeast)*high {
			return false
		}
	}
	// A climb from the beginning may be slow, and its seconds say nothing about the noise; nor do those of a
	// burst at the beginning.
	early := from == 0 && at <= to/2
	climbs := early && to == len(s.rate) && stats.Mean(a) < stats.Mean(b)
	spread, phi := noise(a, b)
	if early {
		spread = stats.StdDev(b)
	}
	if climbs {
		phi = stats.Correlation(b)
	}
	if climbs || end == at && abrupt(a, b, spread) {
		difference := math.Abs(stats.Mean(a) - stats.Mean(b))
		if difference > spread*math.Max(far, s.errorsNeeded(surelyAbrupt, phi)*wander(phi, a, b)) {
			return true
		}
	}
	return s.apartInTime(from, end, at, to, far)
}

// apartInTime is apart for a change that takes its time: a quarter of the shorter level on each side belongs to
// the transition and is left out, unless that is known. The rest has to differ by more than stationary
// noise explains, or by more than a random walk goes in that time.
func (s *series) apartInTime(from, end, at, to int, far float64) bool {
	if end == at {
		trim := min(end-from, to-at) / 4
		end, at = end-trim, at+trim
	}
	a, b := s.rate[from:end], s.rate[at:to]
	spread, phi := noise(a, b)
	difference := math.Abs(stats.Mean(a) - stats.Mean(b))
	if difference <= far*spread {
		return false
	}
	return difference > spread*s.errorsNeeded(surelyGradual, phi)*wander(phi, a, b) ||
		s.exceedsWalk(max(from, end-walkSeconds), end, at, min(to, at+walkSeconds))
}

// exceedsWalk reports whether the difference between two stretches is more than a random walk explains, which
// wanders farther than any stationary noise with the same steps from second to second. Its variance is
// e²·(g + (m+n)/3), where e² is that of a step, m and n are the lengths of the stretches and g is the time
// between them. e is estimated robustly, so that the change itself does not count.
func (s *series) exceedsWalk(from, end, at, to int) bool {
	steps := make([]float64, len(s.rate)-1)
	for i := range steps {
		steps[i] = s.rate[i+1] - s.rate[i]
	}
	reach := stats.Scatter(steps) * math.Sqrt(float64(at-end)+float64(end-from+to-at)/3)
	return math.Abs(stats.Mean(s.rate[from:end])-stats.Mean(s.rate[at:to])) > walkSurely*reach
}

// abrupt reports whether most of a change from a to b happens where they meet.
func abrupt(a, b []float64, spread float64) bool {
	k := min(abruptSeconds, len(a), len(b))
	jump := math.Abs(stats.Mean(b[:k]) - stats.Mean(a[len(a)-k:]))
	return jump+noiseShare*spread >= abruptShare*math.Abs(stats.Mean(a)-stats.Mean(b))
}

// noise is the standard deviation of the seconds of two levels, the larger one, and a cautious estimate of
// the correlation of neighbours.
func noise(a, b []float64) (spread, phi float64) {
	var deviations [2][]float64
	for i, y := range [][]float64{a, b} {
		mean := stats.Mean(y)
		for _, v := range y {
			deviations[i] = append(deviations[i], v-mean)
		}
	}
	return math.Max(stats.StdDev(a), stats.StdDev(b)), stats.Correlation(deviations[0], deviations[1])
}

// wander is the standard error of the difference between the means of two stretches of a first-order
// autoregression, in standard deviations of a value.
func wander(phi float64, a, b []float64) float64 {
	return math.Sqrt((1 + phi) / (1 - phi) * (1/float64(len(a)) + 1/float64(len(b))))
}

// errorsNeeded is the minimum distance of two levels in standard errors, given the estimated correlation, about which a
// short series says nothing.
func (s *series) errorsNeeded(more, phi float64) float64 {
	if s.short() {
		phi = 1
	}
	return surely + more*phi
}

// short reports whether the series is too short for a good estimate of its correlation.
func (s *series) short() bool { return len(s.rate) < shortSeconds }
