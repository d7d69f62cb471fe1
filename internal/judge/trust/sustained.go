package trust

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleSustained = Rule{
	Name:   "sustained",
	Checks: "the rate is sustained: no burst credits or cache refilled between the repeats",
	Evidence: "a repeat of 20 s without a pause for the heaviest workload in each direction (in `quick` and `kbench` 10 s for writes after a prefill of 20 s; and one of 10 s for another that moves more bytes, unless the prefill, or reading it back, shows it), compared with all repeats; " +
		"if the rate falls (by 7 %, beyond the spread between repeats, and beyond a decline that the repeats before had already), the lower rate is the result. " +
		"Of one repeat each (`--time`, `--until-steady`): what another workload of the same direction fell to (see burst and cliff), and the last second",
	Severity: "note if the result is the sustained rate, with a description of the burst; a warning if that rate is not level, if long repeats were slower, but too few or too uneven to decide, if one had a slow period (a quarter slower for 4 s or more), if a workload that may use the same credits was not tested this way, or if a workload's only repeat was faster than the level that another one fell to, or far slower in its last second",
	Advice:   "`--until-steady` measures the sustained level of the named workloads",
	check:    checkSustained,
}

// checkSustained reports rates that do not last: whatever refills in the pauses between short repeats
// (credits of a cloud disk, write caches) lets all repeats agree on such a rate.
//
// Evidence: the long repeats, as judged by analysis. A pass says which credit is excluded: one that a
// stretch at this rate would have used up.
func checkSustained(ev Evidence) []model.Finding {
	if ev.Recorded.Plan.Schedule.Mode != model.Rounds || ev.Recorded.Imported != nil {
		return ev.stretches()
	}
	var o outcome
	var held, brief holding
	var doubts []doubt
	for _, r := range ev.Results {
		s := r.Sustained
		if r.Direction == model.Sync {
			continue
		}
		if s == nil {
			brief.names = add(brief.names, r.Workload)
			seconds := ev.Recorded.Plan.Schedule.Repeat
			brief.add(r.Workload, seconds, seconds*r.Metrics[model.IOPS].Value, seconds*r.Metrics[model.Bandwidth].Value)
			continue
		}
		switch s.State {
		case model.Fell, model.FellUnsteady:
			// For a mix, the direction that fell is reported.
			if s.Burst != nil {
				o.fault(ev.fell(r, s))
			}
		case model.Doubtful:
			doubts = addDoubt(doubts, r, s)
		case model.Below:
			o.pass(r.Workload)
		case model.Held:
			if s.BytesUnseen {
				o.miss(r.Workload, fmt.Sprintf("moves more bytes per second than %s, which was tested without pauses, so burst credits that count bytes and last longer than a repeat (%s) would not be detected", s.Looked, units.FormatSpan(ev.Recorded.Plan.Schedule.Repeat)))
				continue
			}
			changed := ev.changed(s.Looked)
			switch {
			case s.SlowSeconds == 0 && changed != "":
				o.miss(r.Workload, changed)
			case s.SlowSeconds == 0:
				o.pass(r.Workload)
				held.add(s.Looked, s.Seconds, s.IOs, s.Bytes)
			case s.Looked == r.Workload:
				o.fault(ev.slowFor(r, s))
			default:
				o.miss(r.Workload, fmt.Sprintf("the repeat without a pause that would show it, of %s, had a slow period", s.Looked))
			}
		}
	}
	for _, d := range doubts {
		o.fault(ev.doubtful(d))
	}
	return brief.after(held.into(o.findings("slower than the sustained rate", "there is no result to judge")), noLook)
}

// doubt collects workloads on which a long repeat casts doubt: its own workload alone, or others without one.
type doubt struct {
	look  *model.Sustained
	names []string
	// direction is that of the first result.
	direction model.Direction
}

// addDoubt adds a result to those that are doubtful for the same reason.
func addDoubt(list []doubt, r model.Result, s *model.Sustained) []doubt {
	for i := range list {
		if list[i].look.Step == s.Step && list[i].names[0] != s.Looked && s.Looked != r.Workload && list[i].look.Looked == s.Looked {
			list[i].names = add(list[i].names, r.Workload)
			return list
		}
	}
	return append(list, doubt{s, []string{r.Workload}, r.Direction})
}

// doubtful reports results that may be a burst.
func (ev Evidence) doubtful(d doubt) model.Finding {
	s, were := d.look, "was"
	if len(d.names) > 1 {
		were = "were"
	}
	f := model.Finding{Severity: model.SeverityWarning, Results: d.names,
		Message: fmt.Sprintf("not tested without pauses: %s fell to %s without pauses, and %s, which may use the same burst credits, %s measured only with pauses",
			s.Looked, rates(s.Rate, s.Bandwidth), few(d.names), were),
		Evidence: map[string]any{"long_workload": s.Looked, "sustained": s.Rate, "sustained_bandwidth": s.Bandwidth},
		Next:     ev.command(ev.only(d.names), "--until-steady")}
	if s.Burst == nil {
		f.Message = fmt.Sprintf("not tested without pauses: %s was slower in a long repeat, and whether that lasts is not known; %s, which may use the same burst credits, %s measured only with pauses",
			s.Looked, few(d.names), were)
	}
	if s.Looked != d.names[0] {
		if s.Before != "" {
			f.Message = fmt.Sprintf("%s; %s, which may use the same burst credits, %s measured only with pauses", ev.heldUntested(s.Looked, s), few(d.names), were)
		}
		return f
	}
	what := s.Looked
	if w, ok := ev.Recorded.Plan.Workload(s.Looked); ok && w.Direction == model.Mixed {
		what += fmt.Sprintf(" (%ss)", d.direction)
	}
	if s.Before != "" {
		f.Message = ev.heldUntested(what, s) + ", and both may use the same burst credits"
		return f
	}
	f.Message = fmt.Sprintf("slower without pauses: %s did %s in a repeat without a pause, less than in its other repeats, and which of the two rates is sustained is not known",
		what, rates(s.Rate, s.Bandwidth))
	if s.AtEnd {
		f.Message = fmt.Sprintf("slower without pauses: a long repeat of %s was slower in its last seconds, and whether that lasts is not known", what)
	}
	return f
}

// heldUntested explains why a long repeat did not test the credits that another workload used up: it was made before they were
// empty, or after a pause.
func (ev Evidence) heldUntested(what string, s *model.Sustained) string {
	held := fmt.Sprintf("%s held %s without pauses", what, rates(s.Rate, s.Bandwidth))
	for _, r := range ev.Results {
		if o := r.Sustained; o != nil && o.Looked == s.Before && o.Fallen() && o.Step < s.Step {
			return fmt.Sprintf("tested after a pause: %s, but %s had fallen before the pause", held, s.Before)
		}
	}
	return fmt.Sprintf("tested too early: %s, but after that %s fell", held, s.Before)
}

// slowFor reports a slow period: its seconds are not part of the result, so neither is what it costs.
func (ev Evidence) slowFor(r model.Result, s *model.Sustained) model.Finding {
	return model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
		Message: fmt.Sprintf("slow period: for %s, %s did only %s in a repeat without a pause, and its full rate before or after; the result does not include such periods",
			units.FormatSpan(s.SlowSeconds), r.Workload, rates(s.SlowRate, s.SlowRate*s.Bandwidth/s.Rate)),
		Evidence: map[string]any{"long_workload": s.Looked, "slow_seconds": s.SlowSeconds, "slow_rate": s.SlowRate, "sustained": s.Rate},
		Next:     ev.command(ev.only([]string{r.Workload}), "--time", "120s")}
}

// noLook says why there was no long repeat: a credit that is used up within a short one shows in it.
const noLook = "there was no time for a repeat of 20 s without a pause; a longer --max-time allows it"

// usedUp is the maximum number of fast seconds in a long repeat whose predecessor left nothing of the
// credit: the first second may still be fast.
const usedUp = 1

// leastRefill is the shortest time, in seconds, that is worth saying: as a lower bound, "0 s or more" says nothing.
const leastRefill = 0.5

// fell reports a rate that does not last.
func (ev Evidence) fell(r model.Result, s *model.Sustained) model.Finding {
	b := s.Burst
	f := model.Finding{Severity: model.SeverityNote, Results: []string{r.Workload},
		Message: fmt.Sprintf("burst: %s does %s for %s I/Os or more and then %s, which is the result",
			r.Workload, rates(b.Rate, b.Bandwidth), units.FormatRate(b.IOs), rates(s.Rate, s.Bandwidth)),
		Evidence: map[string]any{"burst": b.Rate, "burst_seconds": b.Seconds, "credit": b.IOs, "credit_bytes": b.Bytes, "sustained": s.Rate,
			"sustained_bandwidth": s.Bandwidth, "refill_seconds": b.Refill},
		Next: "nothing to do if you wanted to see the sustained rate"}
	if b.Refill >= leastRefill {
		f.Message += fmt.Sprintf("; when idle, the burst takes %s or more to be available again", units.FormatSpan(b.Refill))
	}
	if b.Seconds <= usedUp {
		f.Message = fmt.Sprintf("burst: %s does %s in short repeats and %s without a pause, which is the result; its credits were already used up when that began",
			r.Workload, rates(b.Rate, b.Bandwidth), rates(s.Rate, s.Bandwidth))
	}
	if s.State == model.FellUnsteady {
		f.Severity = model.SeverityWarning
		f.Message = fmt.Sprintf("burst: %s does %s in short repeats and fell to about %s without pauses, but was not level for long enough to be certain",
			r.Workload, rates(b.Rate, b.Bandwidth), rates(s.Rate, s.Bandwidth))
		f.Next = ev.command(ev.only([]string{r.Workload}), "--until-steady")
	}
	return f
}

// holding is a rate that held without a pause.
type holding struct {
	// names are the workloads that were measured for so long, where that is not enough.
	names []string
	words []string
	looks []map[string]any
}

// add adds a stretch, once.
func (h *holding) add(looked string, seconds, ios, bytes float64) {
	for _, l := range h.looks {
		if l["long_workload"] == looked && l["ios"] == ios {
			return
		}
	}
	h.looks = append(h.looks, map[string]any{"long_workload": looked, "seconds": seconds, "ios": ios, "bytes": bytes})
	h.words = append(h.words, fmt.Sprintf("%s I/Os or %s (%s for %s)", units.FormatRate(ios), units.FormatSize(int64(bytes)), looked, units.FormatSpan(seconds)))
}

// into makes the pass among the findings say which rates held, and which credits that excludes. A
// credit of C I/Os that refills at a rate f is used up at a rate r within C/(r−f) seconds; in T seconds
// any credit below T·(r−f) shows: all that was done if nothing refills it, and half of it if it refills
// at half the rate.
func (h *holding) into(findings []model.Finding) []model.Finding {
	for i := range findings {
		if f := &findings[i]; f.Severity == model.SeverityPassed && len(h.looks) > 0 {
			f.Message = fmt.Sprintf("the rate held without a pause, which excludes burst credits of up to %s, or less if they refill meanwhile (half of that at half the rate)", few(h.words))
			f.Evidence = map[string]any{"long_repeats": h.looks}
		}
	}
	return findings
}

// after adds, to the findings on other workloads, how large a credit must be to have been used up in these repeats, which were too short
// to show more: the one with the most I/Os, and that with the most bytes, bound it best. Why says why they were.
func (h *holding) after(findings []model.Finding, why string) []model.Finding {
	if len(h.looks) == 0 {
		return findings
	}
	ios, bytes := h.looks[0], h.looks[0]
	for _, l := range h.looks {
		if l["ios"].(float64) > ios["ios"].(float64) {
			ios = l
		}
		if l["bytes"].(float64) > bytes["bytes"].(float64) {
			bytes = l
		}
	}
	// With nothing else to say, they only say that there was no result.
	findings = slices.DeleteFunc(findings, func(f model.Finding) bool { return len(f.Results) == 0 })
	return append(findings, model.Finding{Severity: model.SeverityNotChecked, Results: h.names,
		Message: fmt.Sprintf("burst credits of more than %s I/Os (%s for %s) or %s (%s) are not excluded: %s",
			units.FormatRate(ios["ios"].(float64)), ios["long_workload"], units.FormatSpan(ios["seconds"].(float64)),
			units.FormatSize(int64(bytes["bytes"].(float64))), bytes["long_workload"], why),
		Evidence: map[string]any{"repeats": []map[string]any{ios, bytes}}})
}

// changed says which rule reports that the rate of such a series did not hold; "" if it held.
func (k kind) changed() string {
	switch k {
	case bursting, stepping:
		return "its level changed: see burst and cliff"
	case drifting:
		return "it drifted: see drift"
	}
	return ""
}

// changed says which rule reports that the rate of a workload did not hold over the whole measurement; "" if it held.
func (ev Evidence) changed(workload string) string {
	for i, r := range ev.regimes {
		if why := r.kind.changed(); why != "" && ev.series[i].workload == workload {
			return why
		}
	}
	return ""
}

// rates formats a rate, or the bandwidth if that is more informative.
func rates(ios, bytes float64) string {
	if ios > 0 && bytes/ios >= 64<<10 {
		return units.FormatBandwidth(bytes)
	}
	return model.IOPS.Format(ios)
}
