package trust

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
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
	j := ev.settling()
	for _, name := range ev.workloads() {
		j.judge(name)
	}
	j.report()
	if j.last != nil {
		ev.judgeReadsAfter(&j.outcome, j.waits)
		return j.findings("the storage could read as many I/Os after the last writes", "no workload writes as fast as it can")
	}
	ev.judgeAbsorbed(&j.outcome, j.waits, j.drains, j.maybe)
	passed := "reads after writes were as fast as others"
	if j.waits.seconds > 0 && j.waits.helped == 0 {
		passed = fmt.Sprintf("reads after writes were as fast as others, even after %s without a write", units.FormatDuration(j.waits.seconds))
	}
	nothing := "there is no workload that only reads"
	noneAtEnd := func(w model.Workload) bool { return !w.Writes() || w.Loads() || w.Append }
	if ev.Recorded.Run.Status == model.Interrupted && !slices.ContainsFunc(ev.Recorded.Plan.Workloads, noneAtEnd) {
		nothing += ", and the run was interrupted before the reads after its last writes"
	}
	return j.findings(passed, nothing)
}

// settling is what is known of a run's reads after writes, and what is found.
type settling struct {
	outcome
	ev    Evidence
	waits waiting
	// drains is set if a wait showed a draining cache by itself: where others were too short to, all are shown as they were.
	drains bool
	// last are the reads after the last writes of a run that measures no reads.
	last   *model.Settling
	groups map[string]repeatsAfter
	pooled spread
	// direct is the spread without repeats that began when other reads may have emptied a cache already.
	direct spread
	// together is set if reads of all workloads together were slower after writes.
	together bool
	// The workloads with each finding; missing counts the repeats that are left out.
	left, mixed, slow, fallen, maybe []string
	missing                          int
	// unwaited are mixes that no wait has preceded, firstFast those of whose repeats only the first ones were fast.
	unwaited, firstFast []string
}

// settling collects the waits, and the repeats of each workload that reads.
func (ev Evidence) settling() *settling {
	j := &settling{ev: ev, last: ev.Recorded.Run.Beside.ReadsAfter, groups: map[string]repeatsAfter{}}
	for _, r := range ev.Recorded.Run.Steps {
		if r.Worker == 0 {
			j.waits.add(r.Settling)
		}
	}
	j.waits.add(j.last)
	j.drains = j.waits.rose > 0
	if !model.SettlingNeeded(ev.Recorded.Run.Steps) && !j.last.Helped() {
		j.waits.helped = 0
	}
	var settled spread
	for _, name := range ev.workloads() {
		w, known := ev.Recorded.Plan.Workload(name)
		if !known || !w.Reads() {
			continue
		}
		g := ev.afterWrites(name)
		if w.Writes() && len(g.late) == 0 && len(g.cut) == 0 && j.waits.helped == 0 && !j.drains {
			j.unwaited = append(j.unwaited, name) // all its repeats followed writes, and nothing was seen to drain
			continue
		}
		j.groups[name] = g
		if !g.held && !g.unknown { // a prescribed rate does not vary
			j.pooled.add(g.early)
			j.pooled.add(g.late)
			j.direct.add(g.direct)
			j.direct.add(g.late)
			settled.add(g.late)
		}
	}
	if j.last != nil {
		for _, r := range ev.Results {
			if r.Direction == model.Write {
				settled.add(r.RepeatValues)
			}
		}
	}
	j.waits.noise = settled.deviation()
	j.waits.unsure = j.last != nil && j.waits.noise == 0
	j.together = j.pooled.together(j.groups)
	return j
}

// judge decides what is found of one workload.
func (j *settling) judge(name string) {
	g, reads := j.groups[name]
	out := j.ev.leftOut(name)
	j.missing += out
	switch {
	case !reads:
	case len(g.early)+len(g.late) == 0:
		j.miss(name, "no repeat was recorded")
	case g.unknown:
		j.miss(name, "the amount written before each repeat was not recorded")
	case j.waits.helped > 0 && len(g.early) > 0 && out == 0:
		j.mixed = append(j.mixed, name)
	case (j.waits.helped > 0 || j.drains) && g.neverFaster():
		j.slow = append(j.slow, name)
	case j.drains && out == 0 && g.slowEarly():
		j.mixed = append(j.mixed, name)
	case j.drains && j.ev.slowInItsLook(name, g):
		j.fallen = append(j.fallen, name)
	case j.waits.helped > 0:
		j.left = append(j.left, name)
	case g.slowerWhereCut():
		j.fault(j.ev.cut(name, j.waits, g))
		j.maybe = append(j.maybe, name)
	case g.held && len(g.early) > 0:
		j.miss(name, "reads at a fixed rate do not show whether the storage still writes")
	case !j.slower(g):
		j.pass(name)
	case !g.afterEarly:
		j.firstFast = append(j.firstFast, name)
	default:
		early := g.early
		if len(g.direct) > 0 {
			early = g.direct
		}
		j.maybe = append(j.maybe, name)
		j.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{name}, Next: j.ev.alone(name),
			Message: fmt.Sprintf("not settled: reads of %s right after writes ran at %s IOPS and others at %s, so the storage may still have been writing",
				name, units.FormatRate(stats.Mean(early)), units.FormatRate(stats.Mean(g.late))),
			Evidence: map[string]any{"after_writes": stats.Mean(early), "others": stats.Mean(g.late)}})
	}
}

// slower reports whether reads of a workload were slower after writes: all that may have been, or those directly after one,
// or those of all workloads together.
func (j *settling) slower(g repeatsAfter) bool {
	tests := 2 * len(j.groups)
	return j.pooled.slower(g, tests) || j.direct.slower(g.ofDirect(), tests) || j.together && g.lags()
}

// report adds what concerns several workloads, which all waits together show.
func (j *settling) report() {
	found := func(severity model.Severity, names []string, more string) {
		if len(names) > 0 {
			j.fault(model.Finding{Severity: severity, Results: names, Next: j.ev.alone(names...), Evidence: j.waits.evidence(), Message: j.waits.words() + more})
		}
	}
	found(model.SeverityWarning, j.slow, fmt.Sprintf("; those of %s were never faster, so it may have been writing during all of their repeats", few(j.slow)))
	found(model.SeverityWarning, j.fallen, fmt.Sprintf("; reads of %s were slower in their long repeat than in a short one, so it may have been writing again", few(j.fallen)))
	excluded := ""
	switch {
	case j.missing == 1:
		excluded = "; one repeat begun before that is left out"
	case j.missing > 1:
		excluded = fmt.Sprintf("; %d repeats begun before that are left out", j.missing)
	}
	found(model.SeverityNote, j.left, excluded)
	// What others show explains these, too.
	perhaps := slices.Concat(j.unwaited, j.firstFast)
	switch {
	case len(perhaps) > 0 && len(j.maybe) > 0:
		j.fault(model.Finding{Severity: model.SeverityWarning, Results: perhaps, Next: j.ev.alone(perhaps...),
			Message: fmt.Sprintf("perhaps not settled: %s began right after writes, and the storage may still have been writing (see the warning about %s)", few(perhaps), few(j.maybe))})
	default:
		for _, name := range j.firstFast {
			j.miss(name, "only its first repeats did not follow writes, and they may have been faster for another reason, such as burst credits")
		}
	}
	found(model.SeverityWarning, j.mixed, fmt.Sprintf("; too few repeats of %s were made after that, so the number mixes both", few(j.mixed)))
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

// leftOut is how many repeats of a workload are excluded from all figures because of earlier writes.
func (ev Evidence) leftOut(workload string) int {
	n := 0
	for _, r := range ev.Results {
		if r.Workload != workload {
			continue
		}
		for _, s := range ev.steps(workload) {
			if s.Worker == 0 && s.Settling.Early() && slices.Contains(r.LeftOut, s.Step.Number) {
				n++
			}
		}
		break
	}
	return n
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
