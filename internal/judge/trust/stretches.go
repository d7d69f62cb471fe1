package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

const (
	// noStretch says why a credit is not excluded.
	noStretch = "no repeat lasted 20 s without a pause; --time 20s or more makes it"
	// notBelow is the factor by which a rate has to exceed another one to be clearly above it; alike and across are those within which two
	// rates are about the same, in one direction and in different ones.
	notBelow = 1.05
	alike    = 1.15
	across   = 1.05
	// creditLeast is the smallest share of its rate that a workload loses where a credit ends, and creditSeconds for how long the lower level
	// has to last if no later workload confirms it.
	creditLeast   = 0.25
	creditSeconds = 5
	// refillLeast is the shortest pause, in seconds, in which a credit may have become available again, as it is between long repeats (pauseLeast
	// in package analyze).
	refillLeast = 11
	// endApart is how many times the scatter of the others a slow last second is below their median.
	endApart = 8
)

// stretches is the rule "sustained" for repeats that are long themselves: burst and cliff report whether those
// fell. What did not fall may still be a burst: if another workload used up a credit, or if the fall begins in the last second.
func (ev Evidence) stretches() []model.Finding {
	var o outcome
	var held, brief holding
	var ends []int
	falls, outlasted := ev.falls(), map[int][]string{}
	for i := range ev.series {
		s := &ev.series[i]
		changed := ev.regimes[i].kind.changed()
		switch {
		case s.long() && len(s.rate) > 0 && len(s.rate) < longSeconds && ev.Recorded.Imported == nil:
			brief.names = add(brief.names, s.workload)
			brief.add(s.workload, float64(len(s.rate)), s.ios(), s.moved())
		case !s.long() || len(s.rate) < longSeconds:
			o.miss(s.workload, tooFewSeconds)
		case changed != "":
			o.miss(s.workload, changed)
		default:
			f, certain := ev.outlasting(i, falls)
			switch {
			case certain:
				outlasted[f.by] = add(outlasted[f.by], s.workload)
			case f.by >= 0:
				o.miss(s.workload, fmt.Sprintf("faster than the level that %s fell to either in I/Os or in bytes, and which of them the credits count is not known", ev.series[f.by].workload))
			case ev.slowAtEnd(i):
				ends = append(ends, i)
			default:
				o.pass(s.workload)
				held.add(s.workload, float64(len(s.rate)), s.ios(), s.moved())
			}
		}
	}
	for _, f := range falls {
		if names := outlasted[f.by]; len(names) > 0 {
			o.fault(ev.outlasted(f, names))
		}
	}
	if len(ends) > 0 {
		o.fault(ev.endSlow(ends))
	}
	return brief.after(held.into(o.findings("that was no burst from the credits of other workloads", "no second was recorded")), noStretch)
}

// creditEnd is a fall that the end of a burst credit explains: of a series, between two levels in I/Os per second.
type creditEnd struct {
	by            int
	before, after float64
}

// falls are the series that fell in that way, those that fell lowest first. One that does it in its last seconds, like one that met a stall there, counts if
// the next workload of that direction is no faster: a credit is not full again at once. The order of what was imported is not known, and a
// result until steady has no start that was faster in it.
func (ev Evidence) falls() []creditEnd {
	var list []creditEnd
	if ev.Recorded.Imported != nil || ev.Recorded.Plan.Schedule.Mode == model.Steady {
		return nil
	}
	for i, r := range ev.regimes {
		s := &ev.series[i]
		w, known := ev.Recorded.Plan.Workload(s.workload)
		if !known || w.Direction == model.Mixed || !s.long() {
			continue
		}
		at, after := r.at, r.after
		if r.kind != bursting && r.kind != stepping {
			if at = stats.FastStart(s.rate); at == 0 {
				continue
			}
			after = s.mean(at, len(s.rate))
		}
		// The second of the fall belongs to neither level.
		f := creditEnd{by: i, before: stats.Median(s.rate[:at]), after: after}
		if f.after > (1-creditLeast)*f.before {
			continue
		}
		next := ev.next(i)
		if next < 0 && len(s.rate)-at < creditSeconds || next >= 0 && ev.series[next].above(s, f) == 2 {
			continue
		}
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b creditEnd) int { return cmp.Compare(a.after, b.after) })
	return list
}

// next returns the index of the series of the same direction that began next, without a pause in which a credit refills; -1 if there is none.
func (ev Evidence) next(i int) int {
	next := -1
	for j := range ev.series {
		o := &ev.series[j]
		if o.direction == ev.series[i].direction && o.begin[0] > ev.series[i].begin[0] && (next < 0 || o.begin[0] < ev.series[next].begin[0]) {
			next = j
		}
	}
	if s := &ev.series[i]; next >= 0 && ev.series[next].begin[0]-s.end[len(s.end)-1] >= refillLeast {
		return -1
	}
	return next
}

// outlasting returns the first of the falls after which the i-th series may be a burst from the same credit, and whether that is so whichever of I/Os and
// bytes the credit counts; by is -1 if there is none.
func (ev Evidence) outlasting(i int, falls []creditEnd) (f creditEnd, certain bool) {
	found := creditEnd{by: -1}
	for _, f := range falls {
		s, o := &ev.series[i], &ev.series[f.by]
		if f.by == i {
			continue
		}
		if s.direction != o.direction {
			// Reads and writes may well have limits of their own, unless these are the same.
			if s.like(o, f, across) {
				return f, true
			}
			continue
		}
		above := s.above(o, f)
		if above == 2 || s.like(o, f, alike) {
			return f, true
		}
		if above == 1 && found.by < 0 {
			found = f
		}
	}
	return found, false
}

// inBoth returns the rate of the second half of the series, which no credit at its start is part of, and those of another one before and after its fall, in
// I/Os and in bytes per second. Each volume may have its own credit.
func (s *series) inBoth(o *series, f creditEnd) [2][3]float64 {
	share := math.Max(1, float64(s.counting.Workers)/float64(o.counting.Workers))
	rate, block := s.mean(len(s.rate)/2, len(s.rate)), o.block()
	return [2][3]float64{{rate, share * f.before, share * f.after}, {rate * s.block(), share * f.before * block, share * f.after * block}}
}

// above returns in how many of I/Os and bytes the series is above the level that another one fell to.
func (s *series) above(o *series, f creditEnd) (units int) {
	for _, u := range s.inBoth(o, f) {
		if u[0] > notBelow*u[2] {
			units++
		}
	}
	return units
}

// like reports whether the series did as much as another one before its fall, in I/Os or in bytes, within a factor: what both then were limited by is
// the rate of a burst.
func (s *series) like(o *series, f creditEnd, within float64) bool {
	for _, u := range s.inBoth(o, f) {
		if u[0] > notBelow*u[2] && u[0] < within*u[1] && u[1] < within*u[0] {
			return true
		}
	}
	return false
}

// outlasted reports workloads whose repeats may have been shorter than the credits that another workload used up.
func (ev Evidence) outlasted(f creditEnd, names []string) model.Finding {
	o := &ev.series[f.by]
	block := o.block()
	return model.Finding{Severity: model.SeverityWarning, Results: names,
		Message: fmt.Sprintf("not tested for long enough: %s fell from %s to %s, and %s, which may draw on the same burst credits, did not fall",
			o.workload, rates(f.before, f.before*block), rates(f.after, f.after*block), few(names)),
		Evidence: map[string]any{"fallen_workload": o.workload, "before": f.before, "after": f.after},
		Next:     ev.command(ev.only(names), "--until-steady")}
}

// slowAtEnd reports whether the last second of the i-th series is far slower than all others, as if a credit had ended. On storage with
// latency spikes there are other such seconds in a run.
func (ev Evidence) slowAtEnd(i int) bool {
	s := &ev.series[i]
	n := len(s.rate) - 1
	if !slowSecond(s.rate[n], s.rate[:n]) || s.counted(0, n, n, n+1) {
		return false
	}
	for j := range ev.series {
		o := &ev.series[j]
		if k := len(o.rate) - 1; o.long() && ev.regimes[j].kind.changed() == "" && slices.ContainsFunc(o.rate[:k], func(v float64) bool { return slowSecond(v, o.rate[:k]) }) {
			return false
		}
	}
	return true
}

// slowSecond reports whether a rate is far below those of other seconds.
func slowSecond(rate float64, others []float64) bool {
	typical := stats.Median(others)
	return rate < (1-creditLeast)*typical && typical-rate > endApart*stats.Scatter(others)
}

// endSlow reports such ends.
func (ev Evidence) endSlow(list []int) model.Finding {
	var names []string
	for _, i := range list {
		names = add(names, ev.series[i].workload)
	}
	s := &ev.series[list[0]]
	n := len(s.rate) - 1
	f := model.Finding{Severity: model.SeverityWarning, Results: names,
		Message: fmt.Sprintf("not tested for long enough: %s did %s, but only %s in its last second; whether burst credits had run out, or something else slowed that second, is not known",
			s.workload, model.IOPS.Format(s.mean(0, n)), model.IOPS.Format(s.rate[n])),
		Evidence: map[string]any{"before": s.mean(0, n), "last": s.rate[n]},
		Next:     ev.command(ev.only(names), "--until-steady")}
	if len(names) > 1 {
		f.Message = fmt.Sprintf("not tested for long enough: %s were far slower in their last second; whether burst credits had run out, or something else slowed it, is not known", few(names))
	}
	return f
}
