package analyze

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

const (
	// slowSeconds is the minimum length of a slow period in a long repeat. It is slower than the slowest repeat by
	// plainFall, and by slowNoise times the variation between seconds: storage whose repeats differ as much has such
	// periods in its result.
	slowSeconds = 4
	slowNoise   = 4.0
)

// lateFall is a fall in a long repeat whose plateau is too short to be certain. If the next long repeat is not as
// slow, it was a slow period of the storage, or a credit that refills in the pause between the two: the next repeat decides if it
// goes on for longer than the first did before its fall.
type lateFall struct {
	// look is the index of the long repeat, and after its seconds before the fall.
	look, after int
	// refuted is set if a long repeat that lasted long enough was not as slow.
	refuted bool
}

// refute takes note of a long repeat that was not as slow.
func (f *lateFall) refute(seconds int) {
	if f != nil && seconds >= f.after+levelSeconds {
		f.refuted = true
	}
}

// open reports whether neither a slow nor a long enough repeat has followed.
func (f *lateFall) open() bool { return f != nil && !f.refuted }

// wanted is the length, in seconds, of the long repeat that would decide; 0 if a short one does, because none has
// followed so far.
func (s *lookResult) wanted() float64 {
	if len(s.looks) < confirming || !s.late.open() {
		return 0
	}
	return float64(s.late.after + firmSeconds)
}

// slowPeriod is the longest slow period in the long repeats of a workload whose rate held, each of which was mostly as fast
// as the repeats: how many seconds, and their mean rate; 0 if there is none. Such seconds are not part of the
// result, which is made of repeats.
func (s *lookResult) slowPeriod() (rate, seconds float64) {
	for _, look := range s.looks {
		rates := timeline.Series(look.Seconds, model.IOPS)
		usual := stats.Median(rates)
		if s.slowest > 0 {
			usual = s.slowest
		}
		most := (1 - math.Max(plainFall, slowNoise*s.within)) * usual
		if stats.Median(rates) < most {
			continue
		}
		for from := 0; from < len(rates); from++ {
			to := from
			// Where next to nothing is done, the storage stands still, which is another finding.
			for to < len(rates) && rates[to] < most && rates[to] >= idleShare*usual {
				to++
			}
			if n := float64(to - from); n >= slowSeconds && n > seconds {
				rate, seconds = stats.Mean(rates[from:to]), n
			}
			from = to
		}
	}
	return rate, seconds
}
