package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// judgeAbsorbed names workloads whose writes a cache took: those that are faster than the storage reads, where it was seen to
// go on writing after them, or where the reads listed in maybe suggest it.
func (ev Evidence) judgeAbsorbed(o *outcome, waits waiting, drains bool, maybe []string) {
	seen := waits.helped > 0 || drains
	if !seen && len(maybe) == 0 {
		return
	}
	if !seen {
		waits.full = 0 // what waits have shown was no drain
	}
	var found absorption
	for _, name := range ev.workloads() {
		w, known := ev.Recorded.Plan.Workload(name)
		if !known || !w.Writes() || w.Limit() > 0 {
			continue
		}
		rate, fallen, below := ev.totalRate(name)
		switch {
		case fallen:
		case !ev.fasterThanReads(w, rate, waits):
			if ev.fasterThanAllReads(w, rate) {
				found.perhaps = append(found.perhaps, name)
			}
		// What another workload fell to says little about one that writes in another way.
		case seen && !below && !waits.mayBeNoise():
			found.sure = append(found.sure, name)
		case !w.Reads():
			found.perhaps = append(found.perhaps, name)
		}
	}
	why := waits.risen()
	if !seen {
		why = "see the warning about " + few(maybe)
	}
	ev.reportAbsorbed(o, found, waits, why)
}

// absorbed is the evidence of a finding that a cache took writes, or may have.
const absorbed = "absorbed"

// MayNotLast returns the warning that a number of a workload may be better than what the storage sustains: that of burst credits, or
// of a cache; nil if there is none.
func MayNotLast(findings []model.Finding, workload string) *model.Finding {
	for i, f := range findings {
		_, cached := f.Evidence[absorbed]
		if f.Severity == model.SeverityWarning && (cached || f.Rule == ruleSustained.Name) && slices.Contains(f.Results, workload) {
			return &findings[i]
		}
	}
	return nil
}

// absorption lists the workloads whose writes a cache took, and may have taken.
type absorption struct{ sure, perhaps []string }

// reportAbsorbed adds the findings; why says what suggests that a cache may have taken writes.
func (ev Evidence) reportAbsorbed(o *outcome, found absorption, waits waiting, why string) {
	if len(found.sure) > 0 {
		evidence := waits.evidence()
		evidence[absorbed] = true
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: found.sure, Next: ev.untilFull(found.sure), Evidence: evidence,
			Message: fmt.Sprintf("absorbed: a cache took the writes of %s, and the storage went on writing after them (%s); no repeat was long enough to fill it, so they are slower in the long run",
				few(found.sure), waits.risen())})
	}
	if len(found.perhaps) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: found.perhaps, Next: ev.untilFull(found.perhaps), Evidence: map[string]any{absorbed: true},
			Message: fmt.Sprintf("perhaps absorbed: %s did more I/Os per second than reads, and the storage may still have been writing afterwards (%s); if a cache took the writes and never filled, the sustained rate is lower",
				few(found.perhaps), why)})
	}
}

// longEnough is the time in seconds for which writes are measured if their rate was steady before a cache was full.
const longEnough = 1800.0

// untilFull is the command that measures until a cache is full: a rate that is steady while it fills ends --until-steady.
func (ev Evidence) untilFull(names []string) string {
	option, length := "--until-steady", ""
	switch s := ev.Recorded.Plan.Schedule; {
	case s.Mode == model.Steady:
		option, length = "--time", span(longEnough)
	case s.Mode != model.Rounds && s.Repeat >= longEnough/3:
		option, length = "--time", span(max(longEnough, 2*s.Repeat))
	}
	return ev.command(ev.only(names), option, length)
}

// judgeReadsAfter judges the writes of a run that measures no reads by those that followed the last of them, each workload by
// reads of its own kind. These need at least 16 in flight: it is about whether the disk can keep up, not about its latency.
func (ev Evidence) judgeReadsAfter(o *outcome, waits waiting) {
	named := slices.Clone(o.unchecked)
	for _, f := range o.faults {
		named = append(named, f.Results...)
	}
	miss := func(name, why string) {
		if !slices.Contains(named, name) {
			o.miss(name, why)
		}
	}
	last := ev.Recorded.Run.Beside.ReadsAfter
	seen := waits.helped > 0 || waits.rose > 0
	var found absorption
	var untested []string
	for _, name := range ev.workloads() {
		w, known := ev.Recorded.Plan.Workload(name)
		if !known || w.Limit() > 0 || w.OfCapacity > 0 {
			continue // it writes no faster than was asked for
		}
		reads := ev.Recorded.Run.Beside.ReadRates[name]
		rate, fallen, _ := ev.totalRate(name)
		gap := model.SettlingGap
		if seen {
			gap /= 2
		}
		faster := rate.Value*(1-gap) > reads && (rate.Confidence == 0 || rate.Low > reads)
		switch {
		case reads == 0 && !fallen:
			untested = append(untested, name)
		case fallen:
			miss(name, "a cache was filled in its long repeat, or a credit used up, and the result is the rate after that")
		case last.Waited == 0, rate.Value*(1-gap) <= reads:
			if !slices.Contains(named, name) {
				o.pass(name)
			}
		// Repeats that vary much may be those in which the cache wrote back.
		case !faster && seen && rate.Value*muchFaster > reads:
			found.perhaps = append(found.perhaps, name)
		case !faster:
			miss(name, "its interval is too wide to tell whether it was faster than reads after it")
		case seen && !waits.mayBeNoise():
			found.sure = append(found.sure, name)
		// Beside what a cache writes back, reads get half of the disk.
		case seen && !w.Reads(), rate.Value*(1-gap)*drainingShare > reads:
			found.perhaps = append(found.perhaps, name)
		default:
			miss(name, "it was faster than reads after it, which were not seen to become faster")
		}
	}
	found.perhaps = append(found.perhaps, ev.untested(untested, found, miss)...)
	why := waits.risen()
	switch {
	case seen:
	case last.Cut():
		why = fmt.Sprintf("it may have needed another %s or more", units.FormatSpan(last.Left))
	default:
		why = fmt.Sprintf("reads ran at only %s IOPS", units.FormatRate(last.Rate))
	}
	ev.reportAbsorbed(o, found, waits, why)
}

// untested returns those of the workloads without reads of their kind after them that a cache may have taken as well, because
// it took others and they were faster than all reads that were tested; of the rest it says that they were not checked.
func (ev Evidence) untested(names []string, found absorption, miss func(name, why string)) (perhaps []string) {
	reads := 0.0
	for _, rate := range ev.Recorded.Run.Beside.ReadRates {
		reads = math.Max(reads, rate)
	}
	for _, name := range names {
		rate, _, _ := ev.totalRate(name)
		if len(found.sure)+len(found.perhaps) > 0 && clearlyFaster(rate, reads, reads) {
			perhaps = append(perhaps, name)
			continue
		}
		miss(name, "no reads of its kind followed the last writes")
	}
	return perhaps
}

// muchFaster is the share of the mean rate of a workload that has to exceed that of reads, if its interval does not show that it is
// faster.
const muchFaster = 0.75

// drainingShare is the share of a disk that reads get beside a draining cache.
const drainingShare = 0.5

// totalRate returns the I/Os per second of a workload, of a mix both directions together, whether a long repeat showed that
// the rate does not last, and whether one of another workload did.
func (ev Evidence) totalRate(workload string) (total model.Estimate, fallen, below bool) {
	for _, r := range ev.Results {
		if r.Workload != workload || r.Direction == model.Sync {
			continue
		}
		rate := r.Metrics[model.IOPS]
		total.Value, total.Low, total.High = total.Value+rate.Value, total.Low+rate.Low, total.High+rate.High
		total.Confidence = rate.Confidence
		fallen = fallen || r.Sustained.Fallen()
		below = below || r.Sustained != nil && r.Sustained.State == model.Below
	}
	return total, fallen, below
}

// fasterThanReads reports whether a workload that writes was faster than reads of the same size and depth, beyond the intervals
// of both: a disk does about as many I/Os of one kind as of the other.
// Where a wait has shown that the storage goes on writing, the share that the rule otherwise calls slower is enough. The reads
// that waits tested, for writes that have no others to be compared with, are those of another workload and have no interval.
func (ev Evidence) fasterThanReads(w model.Workload, rate model.Estimate, waits waiting) bool {
	gap := model.SettlingGap
	reads, most := ev.readsLike(w)
	switch {
	case reads == 0 && !w.Reads():
		reads, most = waits.full, waits.full
	case waits.helped > 0 && rate.Confidence > 0:
		gap = afterWrites
	}
	return reads > 0 && rate.Value*(1-gap) > reads && (rate.Confidence == 0 || rate.Low > most)
}

// fasterThanAllReads reports the same of writes that no reads of the run are like, such as those of a log, beside all of
// its reads.
func (ev Evidence) fasterThanAllReads(w model.Workload, rate model.Estimate) bool {
	if like, _ := ev.readsLike(w); like > 0 || w.Reads() {
		return false
	}
	reads, most := ev.fastestReads(func(model.Workload) bool { return true })
	return clearlyFaster(rate, reads, most)
}

// clearlyFaster reports whether a rate is above that of reads, beyond what noise explains and beyond the intervals of both.
func clearlyFaster(rate model.Estimate, reads, most float64) bool {
	return reads > 0 && rate.Value*(1-model.SettlingGap) > reads && (rate.Confidence == 0 || rate.Low > most)
}

// readsLike returns what fastestReads does of workloads with blocks of the same size and as many in flight.
func (ev Evidence) readsLike(w model.Workload) (fastest, most float64) {
	return ev.fastestReads(func(like model.Workload) bool {
		return like.BlockSize == w.BlockSize && like.Depth*like.JobCount() == w.Depth*w.JobCount()
	})
}

// fastestReads returns the highest rate, in 1/s, of the chosen workloads that only read, without a limit, and the highest bound
// of their intervals; 0 if there is none.
func (ev Evidence) fastestReads(chosen func(model.Workload) bool) (fastest, most float64) {
	for _, r := range ev.Results {
		if w, known := ev.Recorded.Plan.Workload(r.Workload); known && !w.Writes() && w.Limit() == 0 && chosen(w) {
			rate := r.Metrics[model.IOPS]
			fastest, most = math.Max(fastest, rate.Value), math.Max(most, rate.Value)
			if rate.Confidence > 0 {
				most = math.Max(most, rate.High)
			}
		}
	}
	return fastest, most
}
