package trust

import (
	"maps"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// repeatsAfter are the mean rates of a workload's repeats: of those that began when writes may not have
// drained, and of the others.
type repeatsAfter struct {
	early, late []float64
	// direct are those of early that nothing was read before since the last write: a small cache drains during the
	// first reads, and is empty when the next ones begin.
	direct []float64
	// cut are those of early that followed a wait that ended too early; left is the most time, in seconds, that the
	// storage still needed then, and written the I/Os that had been written.
	cut     []float64
	left    float64
	written uint64
	// calm are those of late that followed a wait that made reads no faster: the storage was thought to have finished,
	// because that much time had passed.
	calm []float64
	// helped is set if a wait has made reads of this workload faster, afterEarly if one of late came after one of early.
	helped, afterEarly bool
	// unknown is set if the writes were not recorded, held if the rate is prescribed.
	unknown, held bool
}

func (ev Evidence) afterWrites(workload string) repeatsAfter {
	var g repeatsAfter
	early, late, cut, calm := map[int]bool{}, map[int]bool{}, map[int]bool{}, map[int]bool{}
	direct, wrote, after := map[int]bool{}, false, 0
	for _, r := range ev.Recorded.Run.Steps {
		w, known := ev.Recorded.Plan.Workload(r.Step.Workload)
		if wrote {
			after = r.Step.Number
		}
		if known && w.Name == workload && r.Error == "" {
			g.held = w.Limit() > 0
			g.helped = g.helped || r.Settling.Helped() || r.Settling.Rose()
			g.unknown = g.unknown || wrote && r.Settling == nil
			if r.Settling.Early() {
				early[r.Step.Number] = true
				if r.Step.Number == after { // the record of another volume may have come before
					direct[r.Step.Number] = true
				}
				if r.Settling.Cut() {
					cut[r.Step.Number] = true
					g.left, g.written = math.Max(g.left, r.Settling.Left), max(g.written, r.Settling.Writes)
				}
			} else {
				late[r.Step.Number] = true
				g.afterEarly = g.afterEarly || len(early) > 0
				if r.Settling != nil && r.Settling.Waited > 0 && !r.Settling.Helped() {
					calm[r.Step.Number] = true
				}
			}
		}
		wrote = known && w.Writes()
	}
	g.early, g.late, g.cut = timeline.ReadRates(ev.Recorded, early), timeline.ReadRates(ev.Recorded, late), timeline.ReadRates(ev.Recorded, cut)
	g.calm, g.direct = timeline.ReadRates(ev.Recorded, calm), timeline.ReadRates(ev.Recorded, direct)
	return g
}

// neverFaster reports whether no wait made these reads faster, as one did those of others in the same run, or none was made:
// the cache may drain for longer than was waited, or its size may have been estimated wrongly.
func (g repeatsAfter) neverFaster() bool {
	if g.held || g.helped {
		return false
	}
	if len(g.late) == 0 {
		return len(g.early) > 0
	}
	fastest := slices.Max(g.late)
	if len(g.early) > 0 {
		// Where those right after writes were slower, the others were faster, and a wait before one of them was long enough.
		return !g.slowEarly()
	}
	return len(g.calm) > 0 && slices.Min(g.calm) > (1-model.SettlingGap)*fastest
}

// slowEarly reports whether reads right after writes were much slower than others of the same workload.
func (g repeatsAfter) slowEarly() bool {
	return !g.held && len(g.early) > 0 && len(g.late) > 0 && stats.Mean(g.early) <= (1-model.SettlingGap)*slices.Max(g.late)
}

// slowInItsLook reports whether the result is what a long repeat of reads fell to although a short one was faster: a burst
// credit looks like this, and so does a cache that drains again.
func (ev Evidence) slowInItsLook(name string, g repeatsAfter) bool {
	if len(g.late) == 0 {
		return false
	}
	for _, r := range ev.Results {
		if r.Workload == name && r.Direction == model.Read && r.Sustained.Fallen() && r.Sustained.Rate <= (1-model.SettlingGap)*slices.Max(g.late) {
			return true
		}
	}
	return false
}

// slowerWhereCut reports whether a wait ended too early, unless reads were as fast as after the storage had
// finished. A smaller difference than this gap may have other reasons.
func (g repeatsAfter) slowerWhereCut() bool {
	return len(g.cut) > 0 && (len(g.late) == 0 || stats.Mean(g.cut) <= (1-model.SettlingGap)*stats.Mean(g.late))
}

// spread is the variation between repeats of one kind, relative to their mean, pooled over all
// workloads: a single one has too few repeats.
type spread struct{ squares, freedom float64 }

// steadiest is the smallest standard deviation between repeats that is assumed.
const steadiest = 0.01

func (s *spread) add(rates []float64) {
	if len(rates) < 2 {
		return
	}
	mean := stats.Mean(rates)
	if mean <= 0 {
		return
	}
	for _, r := range rates {
		s.squares += (r/mean - 1) * (r/mean - 1)
	}
	s.freedom += float64(len(rates) - 1)
}

// leastFreedom is the minimum of degrees of freedom for a standard deviation to be told.
const leastFreedom = 4

// deviation returns the relative standard deviation between repeats; 0 if there are too few to tell.
func (s *spread) deviation() float64 {
	if s.freedom < leastFreedom {
		return 0
	}
	return math.Sqrt(s.squares / s.freedom)
}

// slower reports whether the early repeats were slower than the late ones, by a t test at the level of
// all tests of a run together.
func (s *spread) slower(g repeatsAfter, tests int) bool {
	if !g.lags() || s.freedom < 2 {
		return false
	}
	gap, _ := g.gap()
	each := math.Max(steadiest, math.Sqrt(s.squares/s.freedom))
	t := gap / (each * math.Sqrt(1/float64(len(g.early))+1/float64(len(g.late))))
	return stats.StudentP(t, s.freedom) <= falseAlarm/float64(tests)
}

// ofDirect is the same workload with only those of its early repeats that followed a write directly.
func (g repeatsAfter) ofDirect() repeatsAfter {
	g.early = g.direct
	return g
}

// together reports the same of all workloads: a cache that drains for a part of each repeat slows all of them a little, which
// no one of them may have enough repeats to show. None may contradict it, so that one that lost much does not speak for
// others.
func (s *spread) together(groups map[string]repeatsAfter) bool {
	if s.freedom < 2 {
		return false
	}
	sum, weights := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		g := groups[name]
		gap, known := g.gap()
		if !known || g.held || g.unknown {
			continue
		}
		if gap <= 0 {
			return false
		}
		weight := 1 / (1/float64(len(g.early)) + 1/float64(len(g.late)))
		sum, weights = sum+gap*weight, weights+weight
	}
	if weights == 0 || sum < afterWrites*weights {
		return false
	}
	each := math.Max(steadiest, math.Sqrt(s.squares/s.freedom))
	return stats.StudentP(sum/weights*math.Sqrt(weights)/each, s.freedom) <= falseAlarm
}

// gap returns by which share early repeats were slower than late ones.
func (g repeatsAfter) gap() (share float64, known bool) {
	early, late := stats.Mean(g.early), stats.Mean(g.late)
	if len(g.early) == 0 || len(g.late) == 0 || !(late > 0) {
		return 0, false
	}
	return 1 - early/late, true
}

// lags reports whether the early repeats were slower by more than may have other reasons.
func (g repeatsAfter) lags() bool {
	gap, known := g.gap()
	return known && gap >= afterWrites
}
