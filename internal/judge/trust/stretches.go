package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

const (
	// noStretch says why a credit is not excluded.
	noStretch = "no repeat lasted 20 s without a pause; --time 20s or more makes it"
	// notBelow is the factor by which a rate has to exceed another one to be clearly above it, and alike that within which two
	// rates are about the same.
	notBelow = 1.05
	alike    = 1.15
	// endLeast is the share by which a last second is below all others if it is slow, and endApart how many times their scatter
	// it then is below their median.
	endLeast = 0.25
	endApart = 8
)

// stretches is the rule "sustained" for repeats that are long themselves: burst and cliff report whether those
// fell. What did not fall may still be a burst: if another workload used up a credit, or if the fall begins in the last second.
func (ev Evidence) stretches() []model.Finding {
	var o outcome
	var held, brief holding
	outlasted := map[int][]string{}
	for i := range ev.series {
		s := &ev.series[i]
		changed := ev.regimes[i].kind.changed()
		switch {
		case s.long() && len(s.rate) > 0 && len(s.rate) < longSeconds && ev.Recorded.Imported == nil:
			brief.names = add(brief.names, s.workload)
			brief.add(s.workload, float64(len(s.rate)), s.ios(), s.bytes[len(s.bytes)-1])
		case !s.long() || len(s.rate) < longSeconds:
			o.miss(s.workload, tooFewSeconds)
		case changed != "":
			o.miss(s.workload, changed)
		default:
			if j := ev.fellBelow(i); j >= 0 {
				outlasted[j] = add(outlasted[j], s.workload)
				continue
			}
			if ev.slowAtEnd(i) {
				o.fault(ev.endsSlow(s))
				continue
			}
			o.pass(s.workload)
			held.add(s.workload, float64(len(s.rate)), s.ios(), s.bytes[len(s.bytes)-1])
		}
	}
	for j := range ev.series {
		if names := outlasted[j]; len(names) > 0 {
			o.fault(ev.outlasted(j, names))
		}
	}
	return brief.after(held.into(o.findings("faster than what another workload fell to", "no second was recorded")), noStretch)
}

// fellBelow returns the index of the series that fell during the run, in the direction of the i-th and to a level below it, after which the
// i-th may be a burst from the same credit; of several, the one that fell lowest. It is -1 if there is none. The order of what was
// imported is not known.
func (ev Evidence) fellBelow(i int) int {
	lowest := -1
	if ev.Recorded.Imported != nil {
		return lowest
	}
	for j, r := range ev.regimes {
		o := &ev.series[j]
		w, known := ev.Recorded.Plan.Workload(o.workload)
		if j == i || o.direction != ev.series[i].direction || !known || w.Direction == model.Mixed || r.kind != bursting && r.kind != stepping || r.after >= r.before {
			continue
		}
		if ev.series[i].maySpend(o, r) && (lowest < 0 || r.after < ev.regimes[lowest].after) {
			lowest = j
		}
	}
	return lowest
}

// maySpend reports whether the series may have spent the credit whose end another one saw. It is above the level that the other
// fell to, in I/Os as well as in bytes, or in one of them if both did the same of that before: a credit counts either, and
// has one rate. Each volume may have its own credit.
func (s *series) maySpend(o *series, fell regime) bool {
	share := math.Max(1, float64(s.counting.Workers)/float64(o.counting.Workers))
	block := o.bytes[len(o.bytes)-1] / o.ios()
	// The second of the fall belongs to neither level.
	burst := stats.Median(o.rate[:fell.at])
	above, like := 0, false
	for _, of := range [][3]float64{{s.mean(0, len(s.rate)), burst, fell.after}, {s.bandwidth(), burst * block, fell.after * block}} {
		rate, before, after := of[0], share*of[1], share*of[2]
		if rate > notBelow*after {
			above++
			like = like || rate < alike*before && before < alike*rate
		}
	}
	return above == 2 || like
}

// outlasted reports workloads whose repeats may have been shorter than the credits that another workload used up.
func (ev Evidence) outlasted(j int, names []string) model.Finding {
	o, r := &ev.series[j], ev.regimes[j]
	return model.Finding{Severity: model.SeverityWarning, Results: names,
		Message: fmt.Sprintf("not tested for long enough: %s fell from %s to %s, and %s, which may use the same burst credits, did more than that without falling",
			o.workload, model.IOPS.Format(r.before), model.IOPS.Format(r.after), few(names)),
		Evidence: map[string]any{"fallen_workload": o.workload, "before": r.before, "after": r.after},
		Next:     ev.command(ev.only(names), "--until-steady")}
}

// slowAtEnd reports whether the last second of the i-th series is far slower than all others, as if a credit had ended. On storage with
// latency spikes there are other such seconds in a run, somewhere in the middle.
func (ev Evidence) slowAtEnd(i int) bool {
	s := &ev.series[i]
	n := len(s.rate) - 1
	if !slowSecond(s.rate, n) || s.counted(0, n, n, n+1) {
		return false
	}
	for j := range ev.series {
		o := &ev.series[j]
		if !o.long() || ev.regimes[j].kind.changed() != "" {
			continue
		}
		for at := range len(o.rate) - 1 {
			if slowSecond(o.rate[:len(o.rate)-1], at) {
				return false
			}
		}
	}
	return true
}

// slowSecond reports whether one of the seconds is far slower than all others.
func slowSecond(rates []float64, at int) bool {
	others := slices.Delete(slices.Clone(rates), at, at+1)
	return len(others) > 1 && rates[at] < (1-endLeast)*slices.Min(others) && stats.Median(others)-rates[at] > endApart*stats.Scatter(others)
}

// endsSlow reports such an end.
func (ev Evidence) endsSlow(s *series) model.Finding {
	n := len(s.rate) - 1
	return model.Finding{Severity: model.SeverityWarning, Results: []string{s.workload},
		Message: fmt.Sprintf("not tested for long enough: %s did %s and in its last second %s; whether burst credits had run out, or something else slowed that second, is not known",
			s.workload, model.IOPS.Format(s.mean(0, n)), model.IOPS.Format(s.rate[n])),
		Evidence: map[string]any{"before": s.mean(0, n), "last": s.rate[n]},
		Next:     ev.command(ev.only([]string{s.workload}), "--until-steady")}
}
