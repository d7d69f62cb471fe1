package analyze

import (
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
)

// The signs by which one long repeat shows, or may show, that a rate is not sustained.
const (
	// farLower is how far a limit has to be below repeats that vary widely, as a share.
	farLower = 0.15
	// plainFall is a fall during a long repeat that noise does not produce before a plateau; a smaller
	// fall has to be beyondNoise times the variation between seconds.
	plainFall   = 0.25
	beyondNoise = 6.0
	// limitSeconds is the minimum length of a plateau whose level shows a limit.
	limitSeconds = 3
	// endSeconds is how many seconds at the end of a long repeat may be too few for a level of their own.
	endSeconds = 4
	// idleShare is the share of the rate before below which a long repeat ended without I/O.
	idleShare = 0.01
)

// beforeEnd is a long repeat without its last seconds: without as many as are too few for a level, at most half.
func (s *lookResult) beforeEnd() []float64 {
	n := len(s.rates)
	return s.rates[:max(n/2, n-endSeconds)]
}

// drops reports whether the last second of a long repeat is below all but the few before it, and below the
// repeats: a credit may just have been used up, and another long repeat decides.
func (s *lookResult) drops() bool {
	n := len(s.rates)
	if n < levelSeconds {
		return false
	}
	last, before := s.rates[n-1], s.beforeEnd()
	return last < (1-lower)*slices.Min(before) && last < (1-beyondNoise*s.within)*stats.Median(before) && s.belowRepeats(last)
}

// belowRepeats reports whether a rate is below that of the repeats, if there are any.
func (s *lookResult) belowRepeats(rate float64) bool {
	return len(s.repeats) == 0 || rate < (1-lower)*s.rate()
}

// stalled reports whether a long repeat ended with next to no I/O: a storage that is busy failing over does that, and
// what a credit or a cache leaves is more.
func (s *lookResult) stalled() bool {
	return s.From > 0 && stats.Median(s.rates[s.From:]) < idleShare*s.Before
}

// limited reports whether the end of a long repeat is held by a limit far below the repeats, none of
// which is below it. Repeats that meet a credit sometimes full and sometimes empty vary so widely that
// no test of their mean would detect this.
func (s *lookResult) limited() bool {
	return len(s.repeats) > 1 && len(s.rates)-s.From >= limitSeconds && s.farBelow() && s.Scatter <= stats.Flat*s.Mean
}

// low reports whether a long repeat ended far below the repeats, at whatever level.
func (s *lookResult) low() bool { return len(s.rates)-s.From >= levelSeconds && s.farBelow() }

// fallsLow reports the same of an end that is also far below the beginning.
func (s *lookResult) fallsLow() bool {
	return s.low() && s.From > 0 && stats.Median(s.rates[s.From:]) < (1-farLower)*stats.Median(s.rates[:s.From])
}

// farBelow reports whether the end of a long repeat is far below the repeats, none of which is below it.
func (s *lookResult) farBelow() bool {
	end := stats.Median(s.rates[s.From:])
	return len(s.repeats) > 0 && end < (1-farLower)*s.rate() && end < slices.Min(s.repeats)*(1+stats.Flat)
}

// declined reports whether the end of a long repeat is plainly below its beginning, and below the repeats, whether it
// is level or not: on a machine that is busy, a limit does not look like one, and some storage becomes slower and slower.
func (s *lookResult) declined() bool {
	end := s.rates[s.From:]
	if s.From == 0 || len(end) < levelSeconds {
		return false
	}
	before := s.rates[:s.From]
	change := stats.Median(end) / stats.Median(before)
	separate := change < 1-lower && slices.Max(end) < slices.Min(before)
	return (s.Lower || separate || change < 1-plainFall) && s.belowFast(stats.Median(end))
}

// plain reports whether a fall during a long repeat exceeds the variation between the seconds of a
// repeat, and ends below the repeats.
func (s *lookResult) plain() bool {
	drop := 1 - s.Mean/s.Before
	return (drop > plainFall || drop > beyondNoise*s.within) && s.belowFast(s.Mean)
}

// belowFast reports whether a rate is below that of the fastest repeat, if there are any: others may have met a credit
// that was used up already.
func (s *lookResult) belowFast(rate float64) bool {
	return len(s.repeats) == 0 || rate < (1-lower)*slices.Max(s.repeats)
}
