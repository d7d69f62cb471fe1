package stats

import (
	"math"
	"slices"
)

// Stretch is the outcome of a measurement without a pause.
type Stretch struct {
	// From is the index of the first second of its final plateau.
	From int
	// Mean is that of the plateau, Scatter the robust standard deviation of its seconds.
	Mean, Scatter float64
	// Before is the mean of what came before it; 0 if there was nothing.
	Before float64
	// Fell is set if the seconds before were faster than the plateau by more than noise.
	Fell bool
	// Lower is the same for an end that is not level, and for smaller changes.
	Lower bool
}

const (
	// settling is the number of initial seconds that never belong to the plateau: a small credit is
	// used up in them.
	settling = 5
	// fall is the smallest change of level, relative to the higher one, that counts.
	fall = 0.10
	// slightFall is that for Lower.
	slightFall = 0.07
	// Flat is the relative scatter below which a rate is held by a limit.
	Flat = 0.02
	// lateSeconds, lateLeast and lateApart are the thresholds of LateFall, LateRise, SlowStart and FastStart.
	lateSeconds = 2
	lateLeast   = 0.25
	lateApart   = 6.0
	// startApart replaces lateApart in SlowStart and FastStart: the scatter of half a series, where neighbours are
	// alike, is less than that of all of it.
	startApart = 8.0
	// leastLevel is the minimum number of seconds of a level.
	leastLevel = 3
)

// Level finds the final plateau of a stretch of seconds: the last of its segments, without the seconds
// in which the level changed, and without the first five seconds, or the first quarter if that is
// shorter.
func Level(y []float64) Stretch {
	n := len(y)
	first := min(settling, n/4)
	segments := Segments(y, max(leastLevel, n/4))
	last := segments[len(segments)-1]
	s := Stretch{From: last.From}
	if last.From > 0 {
		before := segments[len(segments)-2].Mean
		end := Median(y[(last.From+n)/2:])
		// A segment has a minimum length, so a late change is inside the last one.
		for s.From < n-1 && math.Abs(y[s.From]-before) < math.Abs(y[s.From]-end) {
			s.From++
		}
		if s.From < n-leastLevel && s.From > 0 && math.Abs(y[s.From]-end) > math.Abs(before-end)/20 {
			// The change happened in this second.
			s.From++
		}
	}
	if at := LateFall(y); at > s.From {
		s.From = at
	}
	s.From = min(max(s.From, first), max(n-1, 0))
	end := y[s.From:]
	s.Mean, s.Scatter = Mean(end), Scatter(end)
	if s.From > 0 {
		s.Before = Mean(y[:s.From])
		if last.From > 0 {
			s.Before = Median(y[:s.From])
		}
	}
	// Seconds in which the machine or the storage stood still lower a mean, but no level: the median is lower too, and
	// so are the last seconds.
	typical := max(s.Mean, Median(end))
	s.Lower = len(end) >= lateSeconds && s.From > 0 && s.Before-typical >= slightFall*s.Before && apart(y[:s.From], end)
	s.Fell = s.Lower && s.Before-typical >= fall*s.Before && s.Scatter <= Flat*s.Mean && Median(y[n-lateSeconds:]) < (s.Before+typical)/2
	return s
}

// LateFall finds a fall that is too late for the rest to form a segment: the index of the first of some
// seconds, at least two and at most the last quarter, that are all below all others by a quarter, and
// by six times their scatter. 0 if there is none.
func LateFall(y []float64) int {
	n := len(y)
	if n <= lateSeconds {
		return 0
	}
	lowest, after := running(y, math.Min), slices.Max(y[n-lateSeconds:])
	for at := n - lateSeconds; at >= max(n*3/4, 1); at-- {
		after = math.Max(after, y[at])
		if after < (1-lateLeast)*lowest[at-1] && Median(y[:at])-after > lateApart*Scatter(y[:at]) && !countedOnce.explains(y[:at], y[at:]) {
			return at
		}
	}
	return 0
}

// LateRise finds a rise in the same way: the seconds are all above all others.
func LateRise(y []float64) int {
	n := len(y)
	if n <= lateSeconds {
		return 0
	}
	highest, after := running(y, math.Max), slices.Min(y[n-lateSeconds:])
	for at := n - lateSeconds; at >= max(n*3/4, 1); at-- {
		after = math.Min(after, y[at])
		if highest[at-1] < (1-lateLeast)*after && after-Median(y[:at]) > lateApart*Scatter(y[:at]) && !countedOnce.explains(y[:at], y[at:]) {
			return at
		}
	}
	return 0
}

// running returns the extreme of the first values up to and including each one.
func running(y []float64, extreme func(a, b float64) float64) []float64 {
	list := slices.Clone(y)
	for i := 1; i < len(list); i++ {
		list[i] = extreme(list[i-1], list[i])
	}
	return list
}

// SlowStart finds a start that is too short for a segment, or a climb that leaves no level behind it for a
// while: the number of leading seconds, within the first half, that are below the level of the second half
// by a tenth, if the first two are below all of its seconds by a quarter, and by eight times their
// scatter. 0 if there is none.
func SlowStart(y []float64) int {
	half := len(y) / 2
	if half < lateSeconds {
		return 0
	}
	settled := y[half:]
	level := Median(settled)
	slow := min((1-lateLeast)*slices.Min(settled), level-startApart*Scatter(settled))
	for _, v := range y[:lateSeconds] {
		if v >= slow {
			return 0
		}
	}
	at := lateSeconds
	for at < half && y[at] < (1-fall)*level {
		at++
	}
	if countedOnce.explains(y[:at], settled) {
		return 0
	}
	return at
}

// FastStart finds a start above all that follows, too short for a segment: the number of leading seconds, at
// most the first quarter, that are all above all others by a quarter, and by eight times their scatter. 0 if
// there is none.
func FastStart(y []float64) int {
	for at := 1; at <= len(y)/4; at++ {
		rest, least := y[at:], slices.Min(y[:at])
		if slices.Max(rest) < (1-lateLeast)*least && least-Median(rest) > startApart*Scatter(rest) && !countedOnce.explains(y[:at], rest) {
			return at
		}
	}
	return 0
}

// apart reports whether the means of two pieces differ by more than the second one's noise explains,
// which may be correlated, and more than counting whole I/Os does.
func apart(a, b []float64) bool {
	if countedOnce.explains(a, b) {
		return false
	}
	phi := Correlation(b)
	wander := math.Sqrt((1 + phi) / (1 - phi) * (1/float64(len(a)) + 1/float64(len(b))))
	return math.Abs(Mean(a)-Mean(b)) > math.Max(Scatter(b), Floor*Mean(b))*math.Max(2.5, 4*wander)
}

// Pool pools the variation between repeats of several workloads.
type Pool struct{ square, df float64 }

// Add adds the values of the repeats of one workload.
func (p *Pool) Add(values []float64) {
	if len(values) < 2 {
		return
	}
	logs := logarithms(values)
	p.square += Variance(logs) * float64(len(logs)-1)
	p.df += float64(len(logs) - 1)
}

// oneInThousand is the probability of mistaking noise for a fall, for one stretch.
const oneInThousand = 0.001

// Below reports whether the final plateau of a stretch lies below the repeats, which had pauses between
// them, by at least the share and by more than the variation between repeats explains: the largest of
// that of the workload's own repeats, of the pools of all workloads and of similar ones, and of pieces
// of the plateau that are as long as repeats (length seconds). The level of the test is a thousandth.
func (s Stretch) Below(end, repeats []float64, all, alike *Pool, length int, share float64) bool {
	if len(repeats) == 0 || len(end) < leastLevel || !(s.Mean < (1-share)*Mean(repeats)) {
		return false
	}
	own := &Pool{}
	own.Add(repeats)
	pieces := &Pool{}
	pieces.Add(cutUp(end, max(1, length)))
	spread := Floor
	for _, p := range []*Pool{all, alike, own, pieces} {
		if p.df > 0 {
			spread = math.Max(spread, math.Sqrt(p.square/p.df))
		}
	}
	away := Mean(logarithms(repeats)) - math.Log(math.Max(s.Mean, math.SmallestNonzeroFloat64))
	t := away / (spread * math.Sqrt(1+1/float64(len(repeats))))
	return StudentP(t, math.Max(1, all.df))/2 < oneInThousand
}

// cutUp is the means of the complete pieces of the given length.
func cutUp(y []float64, length int) []float64 {
	var means []float64
	for i := 0; i+length <= len(y); i += length {
		means = append(means, Mean(y[i:i+length]))
	}
	return means
}

// Scatter is a robust standard deviation: 1.4826 times the median distance from the median, which
// equals the standard deviation for normal values. So a limit still counts as one if the machine stops
// for a moment and one second gets what another lacks.
func Scatter(y []float64) float64 {
	middle := Median(y)
	away := make([]float64, len(y))
	for i, v := range y {
		away[i] = math.Abs(v - middle)
	}
	return 1.4826 * Median(away)
}

// Median is the middle value; 0 if there is none.
func Median(y []float64) float64 {
	if len(y) == 0 {
		return 0
	}
	x := slices.Sorted(slices.Values(y))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// logarithms of values, each at least a millionth of the mean.
func logarithms(values []float64) []float64 {
	least := 1e-6 * Mean(values)
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = math.Log(math.Max(v, math.Max(least, math.SmallestNonzeroFloat64)))
	}
	return list
}
