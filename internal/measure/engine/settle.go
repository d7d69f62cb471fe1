package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// What was written is not always over when the writing ends: a cache goes on writing to the
// disk below, and reads share that disk with it. So reads that follow writes are compared
// with reads that do not; where they are slower, the storage is left alone until short looks
// find them fast again, and the repeat is made then. While a cache drains, reads can be slow
// at one and the same rate for long: looks that agree with each other prove nothing.

const (
	// A wait is at most waitMost seconds, and all of a run's at most waitAll, or waitShare
	// of its measuring time.
	waitMost, waitAll, waitShare = 60.0, 90.0, 0.5
	// pauseLeast and pauseMost bound the time in seconds between two looks.
	pauseLeast, pauseMost = 2.0, 6.0
	// absorbing is how many times faster than it reads storage writes whose cache takes the
	// writes: disks do both at about one speed, or read faster.
	absorbing = 2.0
	// slowerMost is by how much reads are slower in any case, however noisy they are; noisy is
	// how many standard deviations of a second that is at least. alike is how near to each
	// other two looks are that find the same.
	slowerMost, noisy, alike = 0.5, 3.0, 0.08
	// faster is how much faster the reads of a disk that has finished writing are at least,
	// where it was never seen before how fast they are.
	faster = 1.25
	// instants is how often reads may be fast again at once, without a wait, until it is
	// plain that writes have nothing to do with it.
	instants = 2
)

// debt is what a side's writes may have left, and what is known of how fast it reads.
type debt struct {
	// writes are the I/Os written since reads were last seen at their full rate, seconds how
	// long they take the storage beside that, as far as this is known.
	writes, seconds float64
	// owed tells that reads are looked at before they are measured, confirmed that a wait has
	// made them faster, denied that neither will help.
	owed, confirmed, denied bool
	instants                int
	// waits are the steps before which somebody looked.
	waits []model.StepResult
	// over tells that there is no time left to wait, atOnce that the next repeat must not.
	over, atOnce bool
	// waited is the sum of all waits, in seconds.
	waited float64
	// rates are the full rates of reading workloads, in 1/s.
	rates map[string]float64
	// squares and freedom are of the relative deviations of seconds from their repeats.
	squares, freedom float64
	// slow are the steps that began while writes may not have been over.
	slow map[int]bool
}

// prefilled notes what writing before the first repeat has left, if that went so fast
// that a cache must have taken it. The proof read all of it back, or not.
func (s *side) prefilled(p *model.Preparation) {
	write, read := s.beside.WriteBandwidth, s.beside.ReadBandwidth
	if write == 0 && p.Seconds >= filledLeast && len(p.Rates) > 0 {
		write, read = slices.Max(p.Rates), p.Proof.Bandwidth
	}
	if read <= 0 || write < absorbing*read {
		return
	}
	s.debt.owed = true
	s.debt.writes = math.Max(1, float64(p.Written)/(1<<20))
	s.debt.seconds = (s.beside.WriteBandwidth*probedFor + float64(p.Written)) / read
}

const (
	// probedFor is how long, in seconds, the bandwidth of writing is probed.
	probedFor = 2.0
	// filledLeast is how long, in seconds, a prefill takes that tells a rate.
	filledLeast = 1.0
)

// settle waits before a repeat that only reads until what was written before is over, as far
// as there is a sign that it is not. It returns nil where nothing was written.
func (e *execution) settle(ctx context.Context, s *side, step model.Step) (*model.Settling, error) {
	d := &s.debt
	w, known := s.plan.Workload(step.Workload)
	if !known || w.Writes() || w.Loads() || d.writes == 0 {
		return nil, nil
	}
	found := &model.Settling{Writes: uint64(d.writes)}
	most := math.Min(waitMost, math.Max(waitAll, waitShare*s.plan.Schedule.MaxTime)-d.waited)
	d.over = most <= 0
	if !d.owed || d.denied || d.over || d.atOnce || w.OfCapacity > 0 && w.RateIOPS == 0 {
		return found, nil
	}
	probe, began := s.probeFor(w, step), e.clock
	full := d.rates[probe.workload.Name]
	last := 0.0
	for {
		rate, err := e.probe(ctx, s, probe)
		if err != nil {
			return found, err
		}
		if rate <= 0 {
			// The repeat itself will tell why.
			return found, nil
		}
		if found.Slow == 0 {
			found.Slow = rate
			if full == 0 {
				most = math.Min(most, d.seconds+d.writes/rate)
			}
		}
		found.Rate = rate
		rose := full == 0 && rate >= faster*found.Slow && rate <= (1+alike)*last
		if full > 0 && rate >= (1-d.limit())*full || rose {
			found.Settled = true
			break
		}
		if e.clock-began >= most {
			// Reads that never got faster, as far as anybody knows, are as fast as they get.
			// What comes later may still be slower than these.
			found.Settled = full == 0
			break
		}
		if found.Waited == 0 {
			e.tell(s, model.Update{Message: fmt.Sprintf("%s: waiting for the storage to finish what was written (%s IOPS now)",
				w.Name, units.FormatRate(rate))})
		}
		e.tell(s, model.Update{Progress: &model.Progress{Phase: model.PhaseSettle, Done: e.clock - began, Total: most}})
		pause := math.Min(pauseMost, math.Max(pauseLeast, most/10))
		if err := e.rest(ctx, s, pause); err != nil {
			return found, err
		}
		last, found.Waited = rate, e.clock-began
	}
	if found.Waited > 0 {
		found.Waited = e.clock - began
	}
	d.waited += found.Waited
	d.learn(found)
	return found, nil
}

// learn notes what a wait has shown.
func (d *debt) learn(found *model.Settling) {
	if !found.Settled {
		return
	}
	d.writes, d.seconds = 0, 0
	d.waits = append(d.waits, model.StepResult{Settling: found})
	was := d.confirmed
	switch d.confirmed = model.SettlingNeeded(d.waits); {
	case was && !d.confirmed:
		d.owed, d.denied = false, true
	case !d.confirmed && found.Waited > 0:
		d.owed = false
	case !d.confirmed && !d.denied:
		// They were fast at once: what was seen before was noise, or over just then.
		d.instants++
		d.owed, d.denied = false, d.instants >= instants
	}
}

// limit is how much slower than at full rate reads are before that means something.
func (d *debt) limit() float64 {
	spread := 0.0
	if d.freedom > 0 {
		spread = math.Sqrt(d.squares / d.freedom)
	}
	return math.Min(slowerMost, math.Max(model.SettlingGap, noisy*spread))
}

// saw takes in a repeat, and reports whether it is worth another one after a wait: it read
// after writes, and was slower than reads are without.
func (s *side) saw(v ended, settling *model.Settling) (again bool) {
	d := &s.debt
	if d.slow == nil {
		d.slow, d.rates = map[int]bool{}, map[string]float64{}
	}
	if v.failed != "" || len(v.samples) == 0 {
		return false
	}
	name := v.workload.Name
	if v.workload.Writes() {
		for _, m := range v.samples {
			if m.Write != nil {
				d.writes += float64(m.Write.IOs)
			}
		}
		return false
	}
	rates := readRates(v.samples)
	rate, clean := mean(rates), settling == nil || settling.Settled
	full := d.rates[name]
	slower := rate < (1-d.limit())*full
	if !clean {
		d.slow[v.results[0].Step.Number] = true
	}
	switch {
	case slower && clean:
		if settling != nil {
			// It was fast in a short look and is slow again without a write: that is no debt.
			d.denied, d.owed = true, false
		}
		return false
	case slower:
		d.owed = !d.denied
		// A look has used up what there was of a credit: that makes it slower as well, and
		// what comes next depends on it.
		return d.owed && !d.over && settling.Waited == 0 && !v.results[0].Step.Look
	}
	d.writes, d.seconds = 0, 0
	switch {
	case !clean && full > 0:
	case full == 0 || rate > (1+d.limit())*full:
		// What was called full before was not.
		d.rates[name] = rate
	default:
		d.rates[name] = (full + rate) / 2
	}
	for _, r := range rates {
		d.squares += (r/rate - 1) * (r/rate - 1)
	}
	d.freedom += float64(len(rates) - 1)
	return false
}

// settled leaves out the samples of repeats that began before what was written was over, as
// soon as it is known that this made them slow.
func (d *debt) settled(samples map[string][]model.Sample) map[string][]model.Sample {
	if !d.confirmed {
		return samples
	}
	kept := make(map[string][]model.Sample, len(samples))
	for name, list := range samples {
		kept[name] = slices.DeleteFunc(slices.Clone(list), func(m model.Sample) bool { return d.slow[m.Step] })
	}
	return kept
}

// readersFirst puts the repeats that only read before the others of their round, where
// reads have to wait for writes: each wait is for one change only.
func (s *side) readersFirst(steps []model.Step) []model.Step {
	if !s.debt.confirmed {
		return steps
	}
	sorted := slices.Clone(steps)
	slices.SortStableFunc(sorted, func(a, b model.Step) int {
		if a.Round != b.Round {
			return a.Round - b.Round
		}
		return s.writesIn(a) - s.writesIn(b)
	})
	// Planned numbers stay in the order of time.
	for i := range sorted {
		sorted[i].Number = steps[i].Number
	}
	return sorted
}

func (s *side) writesIn(step model.Step) int {
	if w, _ := s.plan.Workload(step.Workload); w.Writes() {
		return 1
	}
	return 0
}

func mean(y []float64) float64 {
	sum := 0.0
	for _, v := range y {
		sum += v
	}
	return sum / float64(max(1, len(y)))
}
