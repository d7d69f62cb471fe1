package trust

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// kind is how a series behaves over time.
type kind int

// A series has one kind: a change of level also looks like a drift and like two modes, so the most
// specific kind is named.
const (
	// tooShort means that it cannot be determined.
	tooShort kind = iota
	steady
	warming
	bursting
	stepping
	bimodal
	drifting
)

const (
	// stepLeast is the smallest change of level, relative to the higher one, that is reported;
	// modesApart is that between two modes, driftLeast that over a series.
	stepLeast  = 0.10
	modesApart = 0.10
	driftLeast = 0.05
	// longSeconds is the minimum length of an unbroken series that is cut into segments, and
	// segmentSeconds the minimum length of a segment, or a quarter of the series. A repeat of 20 s may
	// lack its first and last second.
	longSeconds    = 18
	segmentSeconds = 20
	// modeSeconds is the minimum length of a series in which modes are searched for.
	modeSeconds = 20
	// leastRepeats is the number of repeats needed to distinguish a drift from their noise.
	leastRepeats = 8
	// driftSeconds is the minimum length of an unbroken series in which a drift is searched for, and driftMost
	// is the largest one that may remain possible if none is found: beyond it, the series is too noisy.
	driftSeconds = 40
	driftMost    = 0.20
	// startMatters is the factor by which a fast start of a few seconds raises the mean if it is reported.
	startMatters = 1.05
	// slideLeast is the least fall during the seconds before a lower level, as a share of the difference of the levels, that
	// makes it a gradual one.
	slideLeast = 0.7
	// falseAlarm is the probability, for one series, of reporting noise as a change or a drift: over
	// the fourteen workloads of a run it adds up.
	falseAlarm = 0.001
)

// regime is the behaviour of a series, with the figures behind it.
type regime struct {
	kind kind
	// at is the index of the first second after the change; before and after are the levels in 1/s on
	// its two sides (or of the two modes, or of both ends of a drift).
	at            int
	before, after float64
	// credit is the number of I/Os above the later level.
	credit float64
	// straight is set if a drift is along a straight line.
	straight bool
	// low and high bound a drift over the whole series, relative to before; of a series without one, with 95 %.
	low, high float64
}

// gather returns all series and their regimes.
func (ev Evidence) gather() ([]series, []regime) {
	all := ev.allSeries()
	list := make([]regime, len(all))
	for i := range all {
		list[i] = all[i].regime()
	}
	return all, list
}

// regime determines the behaviour of the series.
func (s *series) regime() regime {
	found := regime{kind: tooShort}
	if s.long() && len(s.rate) >= longSeconds {
		found = s.segments()
	} else if !s.long() && s.repeats >= 3 {
		found = s.steps()
	}
	if found.kind > steady {
		// A slow drift also looks like a step somewhere in the middle.
		if d := s.drift(); d.kind == drifting && d.straight && s.lineFits(found.at) {
			return d
		}
		// That the level changed is known; how, is left to tell.
		if d := s.walkDrift(0.05); s.gradual(found) && d.kind == drifting {
			return d
		}
		if d := s.slide(found); d.kind == drifting {
			return d
		}
		return found
	}
	for _, look := range []func() regime{s.modes, s.drift} {
		if r := look(); r.kind > found.kind {
			found = r
		}
		if found.kind > steady {
			return found
		}
	}
	return found
}

// segments searches for changes of level in an unbroken series.
func (s *series) segments() regime {
	n := len(s.rate)
	if d := stats.Observe(s.rate).Dropped; d > 0 {
		before, after := s.mean(0, d), s.mean(d, n)
		if before < (1-stepLeast)*after && d <= n/2 && !s.counted(0, d, d, n) && s.apart(0, d, d, n) {
			return regime{kind: warming, at: d, before: before, after: after}
		}
	}
	list := stats.Segments(s.rate, min(segmentSeconds, n/4))
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		if s.differ(a, b) {
			return s.change(a.From, a.To, b.From, b.To, len(list) == 2)
		}
		// A slow transition is a segment of its own.
		if i > 1 && between(list[i-2].Mean, a.Mean, b.Mean) && s.differ(list[i-2], b) {
			return s.change(list[i-2].From, list[i-2].To, b.From, b.To, len(list) == 3)
		}
	}
	for _, look := range []func([]float64) int{stats.LateFall, stats.LateRise, stats.SlowStart} {
		if at := look(s.rate); at > 0 && !s.counted(0, at, at, n) {
			return s.change(0, at, at, n, true)
		}
	}
	if at := stats.FastStart(s.rate); at > 0 && !s.untilSteady && s.mean(0, n) > startMatters*s.mean(at, n) {
		return s.change(0, at, at, n, true)
	}
	return regime{kind: steady}
}

// differ reports whether two segments have different levels.
func (s *series) differ(a, b stats.Segment) bool {
	return math.Abs(a.Mean-b.Mean) >= stepLeast*math.Max(a.Mean, b.Mean) && !s.counted(a.From, a.To, b.From, b.To) && s.apart(a.From, a.To, b.From, b.To)
}

// counted reports whether counting whole I/Os explains the difference of two stretches of the series.
func (s *series) counted(from, end, at, to int) bool {
	time := func(i, j int) (sum float64) {
		for ; i < j; i++ {
			sum += s.end[i] - s.begin[i]
		}
		return sum
	}
	return s.counting.Explains(s.mean(from, end), time(from, end), s.mean(at, to), time(at, to))
}

// between reports whether the second value is between the others.
func between(a, b, c float64) bool { return (b-a)*(c-b) > 0 }

// change describes a change of level from s.rate[from:end] to s.rate[at:to].
func (s *series) change(from, end, at, to int, only bool) regime {
	pre, post := s.rate[from:end], s.rate[at:to]
	r := regime{kind: stepping, at: at, before: s.mean(from, end), after: s.mean(at, to)}
	for i, v := range s.rate[:at] {
		r.credit += (v - r.after) * (s.end[i] - s.begin[i])
	}
	cvPre, cvPost := stats.StdDev(pre)/r.before, stats.StdDev(post)/r.after
	switch {
	case only && r.after < r.before && (cvPost <= cvPre/2 || stats.Scatter(post) <= stats.Flat*r.after):
		r.kind = bursting
	case only && r.after > r.before && at <= len(s.rate)/2:
		r.kind = warming
	}
	return r
}

// steps searches for one change of level in a series of repeats. The noise here is the variation
// between repeats: the seconds on either side of a cut are grouped by repeat, and the means of these
// pieces are compared by a t test whose level is divided by the number of cuts tried. The second that
// contains the change belongs to neither side. If there are enough repeats to see that neighbours are
// correlated, as is common for a workload that is measured alone, the test uses their effective number.
func (s *series) steps() regime {
	n := len(s.rate)
	best, r := math.Inf(1), regime{kind: steady}
	cuts, end, pieces := 0, 0, s.pieces()
	for at := 2; at <= n-2; at++ {
		for _, until := range []int{at, at - 1} {
			cuts++
			p := pieces.differ(until, at)
			if p < best {
				best, end = p, until
				r = s.change(0, until, at, n, true)
			}
		}
	}
	if best*float64(cuts) > falseAlarm || s.counted(0, end, r.at, n) || math.Abs(r.before-r.after) < stepLeast*math.Max(r.before, r.after) {
		return regime{kind: steady}
	}
	if s.repeats >= leastRepeats && s.dependentP(end, r.at)*float64(cuts) > falseAlarm {
		return regime{kind: steady}
	}
	return r
}

// modes searches for two levels between which the seconds switch.
func (s *series) modes() regime {
	if len(s.rate) < modeSeconds {
		return regime{kind: tooShort}
	}
	worth := stats.EffectiveSize(len(s.rate), stats.Correlation(s.rate))
	low, high, two := stats.TwoModes(s.rate, worth)
	if two && high-low >= modesApart*high && !s.counting.ExplainsModes(low, high) {
		return regime{kind: bimodal, before: low, after: high}
	}
	return regime{kind: steady}
}

// drift searches for a slow change over the whole series. A change that may be noise, given so few
// values, is neither a drift nor its absence.
func (s *series) drift() regime {
	if !s.lasts() {
		return regime{kind: tooShort}
	}
	if s.long() {
		at := func(level float64) line { return lineOf(stats.Line(s.rate, level)) }
		if d := s.walkDrift(falseAlarm); d.kind == drifting && at(falseAlarm).undecided() {
			return d
		}
		return drifts(s.rate, at(falseAlarm), at(0.05), float64(len(s.rate)))
	}
	rates, times := s.means()
	at := func(level float64) line { return lineOf(stats.Trend(times, rates, level)) }
	return drifts(rates, at(falseAlarm), at(0.05), times[len(times)-1]-times[0])
}

// walkDrift is the drift of an unbroken series that goes further than a random walk, at that level of significance, whatever
// its course. It is steady if there is none.
func (s *series) walkDrift(level float64) regime {
	walk := lineOf(stats.Walk(s.rate, level))
	if walk.undecided() {
		return regime{kind: steady}
	}
	d := drifts(s.rate, walk, walk, float64(len(s.rate)))
	d.straight = false
	return d
}

// line is a slope with its interval.
type line struct{ slope, low, high float64 }

// undecided reports whether the slope may be of either sign.
func (l line) undecided() bool { return l.low*l.high <= 0 }

func lineOf(slope, low, high float64) line { return line{slope, low, high} }

// drifts is the regime of a series with a slope over a span: surely has the interval that few series without
// a drift are outside of, and probably that of 95 %. A series in which a large drift is still possible is
// evidence of neither.
func drifts(rates []float64, surely, probably line, span float64) regime {
	mean, l := stats.Mean(rates), surely
	if change := math.Abs(l.slope * span / mean); change <= driftLeast || l.undecided() {
		without := regime{kind: steady, low: probably.low * span / mean, high: probably.high * span / mean}
		if change > driftLeast || without.most() > driftMost {
			without.kind = tooShort
		}
		return without
	}
	before, after := mean-l.slope*span/2, mean+l.slope*span/2
	if before <= 0 || after <= 0 {
		// The course is far from straight, and the ends of the line are not its own.
		k := max(1, len(rates)/10)
		before, after = stats.Mean(rates[:k]), stats.Mean(rates[len(rates)-k:])
	}
	if before <= 0 || (after-before)*l.slope <= 0 {
		return regime{kind: tooShort}
	}
	change := after/before - 1
	return regime{kind: drifting, before: before, after: after, straight: true, low: change * l.low / l.slope, high: change * l.high / l.slope}
}

// most is the largest drift, relative to the level, that its bounds leave possible.
func (r regime) most() float64 { return math.Max(math.Abs(r.low), math.Abs(r.high)) }

// lasts reports whether the series is long enough to show a drift.
func (s *series) lasts() bool {
	if s.long() {
		return len(s.rate) >= driftSeconds
	}
	return s.repeats >= leastRepeats
}

// lineFits reports whether a straight line describes the series better than two levels with a step at
// that second.
func (s *series) lineFits(at int) bool {
	slope, n := stats.Slope(s.rate), float64(len(s.rate))
	mean, before, after := stats.Mean(s.rate), stats.Mean(s.rate[:at]), stats.Mean(s.rate[at:])
	var line, step float64
	for i, v := range s.rate {
		level := after
		if i < at {
			level = before
		}
		d := v - mean - slope*(float64(i)-(n-1)/2)
		line, step = line+d*d, step+(v-level)*(v-level)
	}
	return line < step
}

// gradual reports whether only a small part of a change of level in an unbroken series happened where it was found.
func (s *series) gradual(found regime) bool {
	if !s.long() || found.kind != bursting && found.kind != stepping {
		return false
	}
	a, b := s.rate[:found.at], s.rate[found.at:]
	spread, _ := noise(a[len(a)-min(len(a), abruptSeconds):], b[:min(len(b), abruptSeconds)])
	return !abrupt(a, b, spread)
}

// slide is the drift in an unbroken series whose fall to a lower level was gradual: the seconds before it fell by about as much
// as the levels differ. A credit ends abruptly. It is steady if there was none.
func (s *series) slide(found regime) regime {
	if !s.long() || found.kind != bursting && found.kind != stepping || found.after >= found.before {
		return regime{kind: steady}
	}
	falling := s.rate[:found.at]
	slope, low, high := stats.Line(falling, falseAlarm)
	if high >= 0 || -slope*float64(len(falling)) < slideLeast*(found.before-found.after) {
		return regime{kind: steady}
	}
	first := stats.Mean(falling[:max(1, len(falling)/10)])
	change := found.after/first - 1
	return regime{kind: drifting, before: first, after: found.after, low: change * low / slope, high: change * high / slope}
}

// regimeRule builds a rule's outcome from the series of its kind. tell describes one of them; short says why a
// series that is not of the kind cannot show that, and passed is the message if none of the others is.
func (ev Evidence) regimeRule(is kind, short, passed string, tell func(*series, regime) model.Finding) []model.Finding {
	var o outcome
	for i, r := range ev.regimes {
		s := &ev.series[i]
		switch {
		case r.kind == is:
			f := tell(s, r)
			f.Results = []string{s.workload}
			o.fault(f)
		case !s.tells(is, r):
			o.miss(s.workload, short)
		default:
			o.pass(s.workload)
		}
	}
	return o.findings(passed, "no second was recorded")
}

// tells reports whether a series with another regime is long enough to have shown this one.
func (s *series) tells(is kind, found regime) bool {
	switch is {
	case bimodal:
		return len(s.rate) >= modeSeconds
	case drifting:
		return s.lasts() && found.kind <= steady && s.drift().kind != tooShort
	}
	return s.long() && len(s.rate) >= longSeconds || !s.long() && s.repeats >= 3
}

// after says how far into a series its second i began.
func (s *series) after(i int) string {
	return units.FormatSpan(math.Max(0, s.begin[i]-s.begin[0]))
}
