package trust

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/judge/timeline"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// afterWrites is the minimum share by which reads after writes must be slower than others to be
// reported.
const afterWrites = 0.06

var ruleSettled = Rule{
	Name:     "settled",
	Checks:   "reads were measured after the storage had finished earlier writes, and writes were not only absorbed by a cache",
	Evidence: "the amount written before each repeat that reads, short test reads after a wait, and the rates of reads right after writes against those of others (6 % slower, t test, p < 0.001, for each workload and for all of them together); where a wait had to end too early, how long the storage needs for what was written, at the rate of its reads or its slowest writes; after a run that measures no reads, short test reads at its end",
	Severity: "note if a wait was long enough: repeats begun before it are left out; otherwise a warning: a cache was still draining while reads were measured, or may have been; a warning for writes faster than reads if a cache that no repeat was long enough to fill drained after them, or may have. Where repeats of reads vary as much without writes, it is said that this may be noise",
	Advice:   "measure workloads that only read separately (`--only '*read*'`), or give the run more time",
	check:    checkSettled,
}

// checkSettled judges reads beside earlier writes: while a write-back cache drains to the disk below,
// reads share the disk with it. They reach their full rate once that is over, or if the storage has no
// such cache.
//
// Evidence: Settling of the steps, and the series. Measurements by an engine that did not observe
// settling are not checked.
func checkSettled(ev Evidence) []model.Finding {
	var o outcome
	var waits waiting
	for _, r := range ev.Recorded.Run.Steps {
		if r.Worker == 0 {
			waits.add(r.Settling)
		}
	}
	last := ev.Recorded.Run.Beside.ReadsAfter
	waits.add(last)
	// Where one wait has shown a draining cache, but others were too short to, all of them are shown as they were.
	drains := waits.rose > 0
	if !model.SettlingNeeded(ev.Recorded.Run.Steps) && !last.Helped() {
		waits.helped = 0
	}
	groups := map[string]repeatsAfter{}
	var pooled, settled spread
	for _, name := range ev.workloads() {
		w, known := ev.Recorded.Plan.Workload(name)
		if !known || !w.Reads() {
			continue
		}
		g := ev.afterWrites(name)
		if w.Writes() && len(g.late) == 0 && len(g.cut) == 0 && waits.helped == 0 && !drains {
			continue // all its repeats followed writes, and nothing was seen to drain
		}
		groups[name] = g
		if !g.held && !g.unknown { // a prescribed rate does not vary
			pooled.add(g.early)
			pooled.add(g.late)
			settled.add(g.late)
		}
	}
	if last != nil {
		for _, r := range ev.Results {
			if r.Direction == model.Write {
				settled.add(r.RepeatValues)
			}
		}
	}
	waits.noise = settled.deviation()
	waits.unsure = last != nil && waits.noise == 0
	together := pooled.together(groups)
	var left, mixed, slow, fallen, maybe []string
	missing := 0
	for _, name := range ev.workloads() {
		g, reads := groups[name]
		out := ev.leftOut(name)
		missing += out
		switch {
		case !reads:
		case len(g.early)+len(g.late) == 0:
			o.miss(name, "no repeat was recorded")
		case g.unknown:
			o.miss(name, "the amount written before each repeat was not recorded")
		case waits.helped > 0 && len(g.early) > 0 && out == 0:
			mixed = append(mixed, name)
		case (waits.helped > 0 || drains) && g.neverFaster():
			slow = append(slow, name)
		case drains && ev.slowInItsLook(name, g):
			fallen = append(fallen, name)
		case waits.helped > 0:
			left = append(left, name)
		case g.slowerWhereCut():
			o.fault(ev.cut(name, waits, g))
			maybe = append(maybe, name)
		case g.held && len(g.early) > 0:
			o.miss(name, "reads at a fixed rate do not show whether the storage still writes")
		case !pooled.slower(g, len(groups)) && !(together && g.lags()):
			o.pass(name)
		case !g.afterEarly:
			o.miss(name, "only its first repeats did not follow writes, and they may have been faster for another reason, such as burst credits")
		default:
			maybe = append(maybe, name)
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{name}, Next: ev.alone(name),
				Message: fmt.Sprintf("not settled: reads of %s right after writes ran at %s IOPS and others at %s, so the storage may still have been writing",
					name, units.FormatRate(stats.Mean(g.early)), units.FormatRate(stats.Mean(g.late))),
				Evidence: map[string]any{"after_writes": stats.Mean(g.early), "others": stats.Mean(g.late)}})
		}
	}
	if len(slow) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: slow, Next: ev.alone(slow...), Evidence: waits.evidence(),
			Message: waits.words() + fmt.Sprintf("; those of %s were never faster, so it may have been writing during all of their repeats", few(slow))})
	}
	if len(fallen) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: fallen, Next: ev.alone(fallen...), Evidence: waits.evidence(),
			Message: waits.words() + fmt.Sprintf("; reads of %s were slower in their long repeat than in a short one, so it may have been writing again", few(fallen))})
	}
	if len(left) > 0 {
		message := waits.words()
		switch {
		case missing == 1:
			message += "; one repeat begun before that is left out"
		case missing > 1:
			message += fmt.Sprintf("; %d repeats begun before that are left out", missing)
		}
		o.fault(model.Finding{Severity: model.SeverityNote, Results: left, Message: message, Evidence: waits.evidence(), Next: ev.alone(left...)})
	}
	if len(mixed) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: mixed, Next: ev.alone(mixed...), Evidence: waits.evidence(),
			Message: waits.words() + fmt.Sprintf("; too few repeats of %s were made after that, so the number mixes both", few(mixed))})
	}
	if last != nil {
		ev.judgeReadsAfter(&o, waits)
		return o.findings("the storage could read as many I/Os right after the last writes", "no workload writes as fast as it can")
	}
	ev.judgeAbsorbed(&o, waits, drains, maybe)
	passed := "reads after writes were as fast as others"
	if waits.seconds > 0 && waits.helped == 0 {
		passed = fmt.Sprintf("reads after writes were as fast as others, even after %s without a write", units.FormatDuration(waits.seconds))
	}
	nothing := "there is no workload that only reads"
	if ev.Recorded.Run.Status == model.Interrupted {
		nothing += ", and the run was interrupted before the reads after its last writes"
	}
	return o.findings(passed, nothing)
}

// waiting sums up the waits of a run.
type waiting struct {
	seconds      float64
	helped, rose int
	writes       uint64
	before, full float64
	// noise is the relative standard deviation of repeats of reads that began when the storage had finished, or of repeats that
	// write where nothing reads; 0 if unknown. unsure is set if that is not known either.
	noise  float64
	unsure bool
}

func (w *waiting) add(s *model.Settling) {
	if s == nil {
		return
	}
	w.seconds += s.Waited
	if s.Rose() {
		w.rose++
	}
	if s.Helped() {
		w.helped++
		w.writes += s.Writes
	}
	if s.Helped() || s.Rose() {
		if w.before == 0 || s.Slow/s.Rate < w.before/w.full {
			w.before, w.full = s.Slow, s.Rate
		}
	}
}

func (w *waiting) words() string {
	times := ""
	if w.helped > 1 {
		times = fmt.Sprintf(" in %d pauses", w.helped)
	}
	if w.mayBeNoise() && !w.unsure {
		return fmt.Sprintf("waited %s%s because reads after writes ran at %s IOPS instead of %s: either the storage was still writing, or this is its noise (repeats of reads vary by %.0f%%)",
			units.FormatDuration(w.seconds), times, units.FormatRate(w.before), units.FormatRate(w.full), 100*w.noise)
	}
	return fmt.Sprintf("waited %s%s for the storage to finish earlier writes: until then, reads ran at %s IOPS instead of %s",
		units.FormatDuration(w.seconds), times, units.FormatRate(w.before), units.FormatRate(w.full))
}

// beyondNoise is how many standard deviations of repeats reads must have been slower for it to be said that the storage was
// still writing: the slowest of several waits is what is told.
const beyondNoise = 3

// mayBeNoise reports whether reads vary so much without writes that their noise may be what waits seemed to show.
func (w *waiting) mayBeNoise() bool {
	return w.unsure || w.full > 0 && 1-w.before/w.full < beyondNoise*w.noise
}

func (w *waiting) evidence() map[string]any {
	return map[string]any{"waited": w.seconds, "waits": w.helped, "writes": w.writes, "before": w.before, "after": w.full}
}

// cut reports reads that began before the storage had had enough time for what was written.
func (ev Evidence) cut(name string, waits waiting, g repeatsAfter) model.Finding {
	message := fmt.Sprintf("not settled: after %s I/Os had been written, the storage may have needed another %s or more to finish them",
		units.FormatRate(float64(g.written)), units.FormatSpan(g.left))
	if waits.seconds > 0 {
		message += fmt.Sprintf(" (waited %s)", units.FormatDuration(waits.seconds))
	}
	message += fmt.Sprintf(", and until then reads of %s may have been slow", name)
	evidence := map[string]any{"waited": waits.seconds, "writes": g.written, "left": g.left, "rate": stats.Mean(g.cut)}
	if len(g.late) > 0 {
		evidence["others"] = stats.Mean(g.late)
	}
	return model.Finding{Severity: model.SeverityWarning, Results: []string{name}, Next: ev.alone(name), Message: message, Evidence: evidence}
}

// repeatsAfter are the mean rates of a workload's repeats: of those that began when writes may not have
// drained, and of the others.
type repeatsAfter struct {
	early, late []float64
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
	wrote := false
	for _, r := range ev.Recorded.Run.Steps {
		w, known := ev.Recorded.Plan.Workload(r.Step.Workload)
		if known && w.Name == workload && r.Error == "" {
			g.held = w.Limit() > 0
			g.helped = g.helped || r.Settling.Helped() || r.Settling.Rose()
			g.unknown = g.unknown || wrote && r.Settling == nil
			if r.Settling.Early() {
				early[r.Step.Number] = true
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
	g.calm = timeline.ReadRates(ev.Recorded, calm)
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
	return len(g.early) > 0 && stats.Mean(g.early) > (1-model.SettlingGap)*fastest || len(g.calm) > 0 && slices.Min(g.calm) > (1-model.SettlingGap)*fastest
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

// leftOut is how many repeats of a workload are excluded from all figures.
func (ev Evidence) leftOut(workload string) int {
	for _, r := range ev.Results {
		if r.Workload == workload {
			return len(r.LeftOut)
		}
	}
	return 0
}

// alone is the command that measures the reading workloads and those named without the others, or all of them for longer if
// that is how they were measured.
func (ev Evidence) alone(concerned ...string) string {
	var names []string
	for _, name := range ev.workloads() {
		if w, known := ev.Recorded.Plan.Workload(name); known && !w.Writes() || slices.Contains(concerned, name) {
			names = append(names, name)
		}
	}
	if only := ev.only(names); only != "" {
		return ev.command(only)
	}
	return ev.command("--max-time", span(max(60, 2*ev.Recorded.Plan.Schedule.MaxTime)))
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
