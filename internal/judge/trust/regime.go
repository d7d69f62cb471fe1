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
	stepLeast = 0.10
	// farApart is the minimum distance of the two levels of an unbroken series, in standard deviations
	// of a second, and surely the minimum in standard errors of their difference: correlated noise
	// stays on one side for a while.
	farApart = 2.5
	surely   = 4.0
	// fartherApart replaces farApart below shortSeconds: in so few seconds the autocorrelation is
	// underestimated. The levels also have to differ by shortLeast then, unless the second one is flat.
	fartherApart = 4.0
	shortLeast   = 0.25
	shortSeconds = 24
	// abruptShare is the share of a change of level below gradualLeast that has to happen within abruptSeconds
	// on either side of it, less noiseShare of a second's standard deviation: correlated noise wanders from one
	// level to the other in many small steps. What changes by more, or starts slowly, may be gradual.
	abruptShare   = 0.7
	abruptSeconds = 3
	noiseShare    = 0.5
	gradualLeast  = 0.25
	modesApart    = 0.10
	driftLeast    = 0.05
	// longSeconds is the minimum length of an unbroken series that is cut into segments, and
	// segmentSeconds the minimum length of a segment, or a quarter of the series. A repeat of 20 s may
	// lack its first and last second.
	longSeconds    = 18
	segmentSeconds = 20
	// modeSeconds is the minimum length of a series in which modes are searched for.
	modeSeconds = 20
	// leastRepeats is the number of repeats needed to distinguish a drift from their noise.
	leastRepeats = 8
	// driftBatch is the length in seconds over which an unbroken series is averaged; a shorter series
	// is split into driftBatches: a few more than leastRepeats, because an estimated correlation
	// reduces the effective number.
	driftBatch   = 5
	driftBatches = 12
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
	// low and high bound a drift, relative to the mean, over the whole series.
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
		if d := s.drift(); d.kind == drifting && s.lineFits(found.at) {
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
		if before < (1-stepLeast)*after && d <= n/2 && s.apart(0, d, n) {
			return regime{kind: warming, at: d, before: before, after: after}
		}
	}
	list := stats.Segments(s.rate, min(segmentSeconds, n/4))
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		if math.Abs(a.Mean-b.Mean) < stepLeast*math.Max(a.Mean, b.Mean) || !s.apart(a.From, b.From, b.To) {
			continue
		}
		return s.change(a.From, b.From, b.From, b.To, len(list) == 2)
	}
	for _, look := range []func([]float64) int{stats.LateFall, stats.LateRise, stats.SlowStart} {
		if at := look(s.rate); at > 0 {
			return s.change(0, at, at, n, true)
		}
	}
	return regime{kind: steady}
}

// apart reports whether the levels before and after index at, between from and to, differ by more than
// their own correlated noise explains.
func (s *series) apart(from, at, to int) bool {
	a, b := s.rate[from:at], s.rate[at:to]
	spread := stats.StdDev(b)
	if from > 0 || at > to/2 {
		// Otherwise it may be a climb from the beginning, which is not noise.
		spread = math.Max(spread, stats.StdDev(a))
	}
	phi := stats.Correlation(b)
	wander := math.Sqrt((1 + phi) / (1 - phi) * (1/float64(len(a)) + 1/float64(len(b))))
	high, low := math.Max(stats.Mean(a), stats.Mean(b)), math.Min(stats.Mean(a), stats.Mean(b))
	difference := high - low
	k := min(abruptSeconds, len(a), len(b))
	jump := math.Abs(stats.Mean(b[:k]) - stats.Mean(a[len(a)-k:]))
	mayBeGradual := difference >= gradualLeast*high || from == 0 && at <= to/2 && stats.Mean(a) < stats.Mean(b)
	if !mayBeGradual && jump+noiseShare*spread < abruptShare*difference {
		return false
	}
	far := farApart
	if len(s.rate) < shortSeconds {
		far = fartherApart
		if stats.Scatter(b) > stats.Flat*stats.Mean(b) && low > (1-shortLeast)*high {
			return false
		}
	}
	return difference > spread*math.Max(far, surely*wander)
}

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
	if best*float64(cuts) > falseAlarm || math.Abs(r.before-r.after) < stepLeast*math.Max(r.before, r.after) {
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
	if two && high-low >= modesApart*high {
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
	rates, times := s.means()
	correlation := 0.0
	if s.long() {
		k := max(len(s.rate)/driftBatch, driftBatches)
		rates, times = s.batches(k)
		// So few batches underestimate how much they are correlated; there are more seconds.
		correlation = stats.BatchCorrelation(stats.Correlation(stats.Detrended(s.rate)), float64(len(s.rate))/float64(k))
	}
	slope, low, high := stats.Trend(times, rates, falseAlarm, correlation)
	span, mean := times[len(times)-1]-times[0], stats.Mean(rates)
	change := slope * span / mean
	if math.IsInf(low, 0) && math.Abs(change) > driftLeast {
		return regime{kind: tooShort}
	}
	if low*high > 0 && math.Abs(change) > driftLeast {
		return regime{kind: drifting, before: mean - slope*span/2, after: mean + slope*span/2,
			low: low * span / mean, high: high * span / mean}
	}
	return regime{kind: steady}
}

// lasts reports whether the series is long enough to show a drift.
func (s *series) lasts() bool {
	if s.long() {
		return len(s.rate) >= driftBatch*leastRepeats
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

// regimeRule builds a rule's outcome from the series of its kind. tell describes one of them; unfit
// reports whether a series cannot be used by the rule.
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
		return s.lasts() && (found.kind > steady || s.drift().kind != tooShort)
	}
	return s.long() && len(s.rate) >= longSeconds || !s.long() && s.repeats >= 3
}

// after says how far into a series its second i began.
func (s *series) after(i int) string {
	return units.FormatSpan(math.Max(0, s.begin[i]-s.begin[0]))
}
