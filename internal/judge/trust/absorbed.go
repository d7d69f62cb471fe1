package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// judgeAbsorbed names workloads whose writes a cache took: those that are faster than the storage reads, where it was seen to
// go on writing after them, or where the reads listed in maybe, or those after the last writes, suggest it.
func (ev Evidence) judgeAbsorbed(o *outcome, waits waiting, drains bool, maybe []string) {
	seen := waits.helped > 0 || drains
	last := ev.Recorded.Run.Beside.ReadsAfter
	if !seen && len(maybe) == 0 && !last.Cut() {
		return
	}
	if !seen {
		waits.full = 0 // what waits have shown was no drain
	}
	var sure, perhaps []string
	for _, name := range ev.workloads() {
		w, known := ev.Recorded.Plan.Workload(name)
		if !known || !w.Writes() || w.Limit() > 0 {
			continue
		}
		rate, fallen, below := ev.totalRate(name)
		switch {
		case fallen || !ev.fasterThanReads(w, rate, waits):
		// What another workload fell to says little about one that writes in another way.
		case seen && !below && !waits.mayBeNoise():
			sure = append(sure, name)
		default:
			perhaps = append(perhaps, name)
		}
	}
	if len(sure) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: sure, Next: ev.command(ev.only(sure), "--until-steady"), Evidence: waits.evidence(),
			Message: fmt.Sprintf("absorbed: a cache took the writes of %s, and the storage went on writing after them (reads ran at %s IOPS instead of %s); no repeat was long enough to fill it, so they are slower in the long run",
				few(sure), units.FormatRate(waits.before), units.FormatRate(waits.full))})
	}
	if len(perhaps) > 0 {
		why := fmt.Sprintf("reads ran at %s IOPS instead of %s", units.FormatRate(waits.before), units.FormatRate(waits.full))
		switch {
		case !seen && len(maybe) > 0:
			why = "see the warning about " + few(maybe)
		case !seen:
			why = fmt.Sprintf("it may have needed another %s or more", units.FormatSpan(last.Left))
		}
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: perhaps, Next: ev.command(ev.only(perhaps), "--until-steady"),
			Message: fmt.Sprintf("perhaps absorbed: writes of %s were faster than reads, and the storage may still have been writing afterwards (%s); if a write cache took them and never filled, the sustained rate is lower",
				few(perhaps), why)})
	}
}

// judgeReadsAfter passes writes after which reads were at their full rate, in a run that does not measure reads.
func (ev Evidence) judgeReadsAfter(o *outcome, last *model.Settling) {
	var named []string
	for _, f := range o.faults {
		named = append(named, f.Results...)
	}
	for _, name := range ev.workloads() {
		switch {
		case slices.Contains(named, name):
		case last.Cut():
			o.miss(name, fmt.Sprintf("after the last writes, the storage may have needed another %s or more to finish them", units.FormatSpan(last.Left)))
		default:
			o.pass(name)
		}
	}
}

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
// Where a wait has shown that the storage goes on writing, the share that the rule otherwise calls slower is enough. Reads that
// were only tested for some seconds have no interval.
func (ev Evidence) fasterThanReads(w model.Workload, rate model.Estimate, waits waiting) bool {
	gap := model.SettlingGap
	reads, most := ev.readsLike(w)
	tested := ev.Recorded.Run.Beside.ReadRates[w.Name]
	switch {
	case reads == 0:
		reads = cmp.Or(tested, waits.full)
		if most = reads; waits.helped > 0 && tested > 0 {
			gap /= 2
		}
	case waits.helped > 0 && rate.Confidence > 0:
		gap = afterWrites
	}
	return reads > 0 && rate.Value*(1-gap) > reads && (rate.Confidence == 0 || rate.Low > most)
}

// readsLike returns the highest rate, in 1/s, of workloads that only read, in blocks of the same size and with as many in
// flight, and the highest bound of their intervals; 0 if there is none.
func (ev Evidence) readsLike(w model.Workload) (fastest, most float64) {
	for _, r := range ev.Results {
		if like, known := ev.Recorded.Plan.Workload(r.Workload); known && !like.Writes() && like.Limit() == 0 &&
			like.BlockSize == w.BlockSize && like.Depth*like.JobCount() == w.Depth*w.JobCount() {
			rate := r.Metrics[model.IOPS]
			fastest, most = math.Max(fastest, rate.Value), math.Max(most, rate.Value)
			if rate.Confidence > 0 {
				most = math.Max(most, rate.High)
			}
		}
	}
	return fastest, most
}
