package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Storage may still be busy with writes after the last one was acknowledged: a write-back cache goes on
// draining to the disk below, and reads compete with it for that disk. So reads that follow writes are
// compared with reads that do not; if they are slower, the storage is left idle until short probes find
// reads fast again, and then the repeat is made. While a cache drains, reads can be slow at a constant rate
// for a long time, so probes that agree with each other prove nothing.

const (
	// A wait takes at most waitMost seconds, all waits of a run at most waitAll seconds or waitShare of its
	// measuring time, whichever is more.
	waitMost, waitAll, waitShare = 60.0, 90.0, 0.5
	// pauseLeast and pauseMost bound the time between two probes, in seconds.
	pauseLeast, pauseMost = 2.0, 6.0
	// absorbing is the ratio of write to read bandwidth from which on a cache must be absorbing the writes:
	// disks do both at about the same speed, or read faster.
	absorbing = 2.0
	// slowerMost is the maximum slowdown that is put down to noise, however noisy the reads are; noisy is
	// the threshold in standard deviations of one second. A probe agrees with the one before if it is no more than
	// alike faster.
	slowerMost, noisy, alike = 0.5, 3.0, 0.08
	// slowerWhileLeft is the same while writes must be left: reads beside them get half of the disk.
	slowerWhileLeft = 0.35
	// faster is the minimum speed-up of reads that shows that a disk has finished writing, if their full
	// rate is not known, and muchFaster that if it has not had time enough for that: noise does less.
	faster, muchFaster = 1.25, 1.5
	// slowProbes is how many slow probes the latter takes.
	slowProbes = 2
	// firstProbes is how many probes follow each other at once before a wait, where the full rate is known and no wait has helped
	// yet: one second may be slow for a reason that ends with it, such as a latency spike.
	firstProbes = 2
	// Reads that are still as slow after giveUpLeast seconds, and after giveUpTimes the time that what was written takes by every
	// estimate, are slow for another reason: the storage is slower now than it was. It may still write more slowly than it
	// reads, so this does not settle anything, and only ends the wait.
	giveUpLeast, giveUpTimes = 20.0, 2.0
	// mostFastAtOnce is how often reads may be fast again at once, without a wait, before it is clear that writes
	// do not cause their slowness.
	mostFastAtOnce = 2
)

// drain tracks writes that may still be draining on one side, and the read rates seen so far.
type drain struct {
	// writes counts the I/Os written since reads were last seen at their full rate; backlog is how long the storage
	// takes for them.
	writes  float64
	backlog backlog
	// probeFirst is set if reads are probed before they are measured, confirmed if a wait has made them faster,
	// ruledOut if neither will help.
	probeFirst, confirmed, ruledOut bool
	fastAtOnce                      int
	// waits are the steps that were preceded by probes.
	waits []model.StepResult
	// noTime is set if there is no time left to wait, noWait if the next repeat must not wait.
	noTime, noWait bool
	// waited is the sum of all waits, in seconds.
	waited float64
	// rates are the full rates of reading workloads, in 1/s.
	rates map[string]float64
	// did are the I/Os of each repeat of the others, in 1/s, both directions together.
	did map[string][]float64
	// squares is the sum of the squared relative deviations of seconds from the mean of their repeat,
	// freedom its degrees of freedom.
	squares, freedom float64
	// slow holds the steps that began while writes may still have been draining.
	slow map[int]bool
}

// prefilled notes the writes that the prefill may have left in a cache: it must have absorbed them if the
// prefill was much faster than reads. Without probed bandwidths, the rates are those of the prefill and of
// the proof, if that read the data back.
func (s *side) prefilled(p *model.Preparation) {
	write, read := s.beside.WriteBandwidth, s.beside.ReadBandwidth
	if write == 0 && p.Seconds >= filledLeast && len(p.Rates) > 0 {
		write, read = slices.Max(p.Rates), p.Proof.Bandwidth
	}
	b := &s.drain.backlog
	b.probed = read
	if read <= 0 || write < absorbing*read || s.beside.WriteBandwidth > 0 && keptUp(p, read) {
		return
	}
	s.drain.probeFirst = true
	bytes := s.beside.WriteBandwidth*probedFor + float64(p.Written)
	s.drain.writes = math.Max(1, bytes/large)
	b.pieces = math.Max(1, float64(p.Written)/large)
	// The disk was writing during the prefill, too.
	b.prefill = math.Max(0, writesSlower*bytes/read-p.Seconds)
}

const (
	// probedFor is for how long the write bandwidth is probed, in seconds.
	probedFor = 2.0
	// filledLeast is the minimum duration of a prefill whose rate is meaningful, in seconds.
	filledLeast = 1.0
	// keptUpLeast is the minimum duration of a prefill, in seconds, and keptUpMost the highest ratio of its rate to that of
	// reads, that a disk certainly keeps up with.
	keptUpLeast, keptUpMost = 10.0, 1.6
	// large is the size of the I/Os of the probe and the prefill, in bytes.
	large = 1 << 20
	// writesSlower is by which factor the disk may write what was prefilled more slowly than it reads.
	writesSlower = 1.25
)

// keptUp reports whether a disk behind a cache has written the prefill as fast as it came, although the probe wrote much
// faster than it read. The read was probed right after that write: if the disk was still writing then, it can do both
// together, and otherwise nothing was left. A prefill in which the rate was never much higher than that of those reads,
// because the filesystem had to allocate its blocks for example, leaves nothing behind in either case.
func keptUp(p *model.Preparation, read float64) bool {
	if p.Seconds < keptUpLeast || len(p.Rates) < rateSeconds {
		return false
	}
	fastest := 0.0
	for i := range len(p.Rates) - rateSeconds + 1 {
		fastest = math.Max(fastest, mean(p.Rates[i:i+rateSeconds]))
	}
	return fastest <= keptUpMost*read
}

// settle waits before a repeat that reads until earlier writes have drained, if there is a sign that
// they have not. It returns nil if nothing was written.
func (e *execution) settle(ctx context.Context, s *side, step model.Step) (*model.Settling, error) {
	d := &s.drain
	d.backlog.pass(e.clock, 1)
	w, known := s.plan.Workload(step.Workload)
	if !known || !w.Reads() || w.Loads() || d.writes == 0 {
		return nil, nil
	}
	found := &model.Settling{Writes: uint64(d.writes)}
	most := math.Min(waitMost, math.Max(waitAll, waitShare*s.plan.Schedule.MaxTime)-d.waited)
	d.noTime = most <= 0
	// A look that has begun is not repeated after a wait. Of a mix, the full rate of whose reads is never known, noise would
	// make such a wait.
	probes := d.probeFirst || step.Look && !w.Writes() && d.backlog.leftForSure() > 0
	switch {
	case !probes || d.ruledOut || w.OfCapacity > 0 && w.RateIOPS == 0:
		return found, nil
	case d.noTime || d.noWait:
		found.Left = d.backlog.leftForSure()
		// The time since the prefill alone may have been enough.
		found.Settled = found.Left == 0 && d.rates[w.Name] == 0 && len(d.backlog.flows) == 0
		return found, nil
	}
	began := e.clock
	err := e.wait(ctx, s, w, s.probeFor(w, step), most, found)
	if err != nil || found.Rate <= 0 {
		// Without reads, the repeat itself will report the reason.
		return found, err
	}
	spent := found.Waited
	if !found.Settled {
		// With less time left than one probe takes, reads are still slow without a wait. If the probe took none of the
		// time, the repeat after it would be made again and again.
		spent = e.clock - began
	}
	d.waited += spent
	d.learn(found)
	return found, nil
}

// wait leaves the storage idle, for at most that many seconds, until a probe finds reads fast again.
func (e *execution) wait(ctx context.Context, s *side, w model.Workload, probe probing, most float64, found *model.Settling) error {
	d, began := &s.drain, e.clock
	full := d.rates[probe.workload.Name]
	first := 1
	if full > 0 && !d.confirmed {
		first = firstProbes
	}
	var rates []float64
	for {
		rate, err := e.probe(ctx, s, probe.further(len(rates)))
		if err != nil || rate <= 0 {
			found.Rate = 0
			return err
		}
		d.backlog.read(probe.workload, rate)
		d.backlog.pass(e.clock, readsLeave)
		rates = append(rates, rate)
		found.Slow, found.Rate = slices.Max(rates[:min(len(rates), first)]), rate
		waited, finished := e.clock-began, d.backlog.left() <= 0
		rise, agree := rate/found.Slow, len(rates) > 1 && rate <= (1+alike)*rates[len(rates)-2]
		fast := rate >= (1-d.limit())*full
		if full == 0 {
			fast = agree && (finished && rise >= faster || rate >= muchFaster*before(rates))
		}
		// Reads that never got faster in the time that everything takes are at their full rate. Later ones may still be
		// slower than these. The writes at the rate of the reads are a second, cruder estimate of that time: neither
		// ends a wait alone.
		calm := full == 0 && finished && (rise < faster || agree)
		giveUp := full > 0 && finished && waited >= math.Max(giveUpLeast, giveUpTimes*d.writes/found.Slow) && !rising(rates)
		if fast || calm && waited >= d.writes/found.Slow || giveUp || waited >= most {
			found.Settled = fast || calm
			break
		}
		if len(rates) < first {
			continue
		}
		expected := most
		if full == 0 {
			expected = math.Min(most, math.Max(waited+d.backlog.left(), d.writes/found.Slow))
		}
		u := model.Update{Progress: &model.Progress{Phase: model.PhaseSettle, Done: waited, Total: expected}}
		if found.Waited == 0 {
			u.Message = fmt.Sprintf("%s: waiting for the storage to finish what was written (%s IOPS now)", w.Name, units.FormatRate(rate))
		}
		e.tell(s, u)
		pause := math.Min(pauseMost, math.Max(pauseLeast, expected/10))
		if err := e.rest(ctx, s, pause); err != nil {
			return err
		}
		d.backlog.pass(e.clock, 1)
		found.Waited = e.clock - began
	}
	if found.Waited > 0 {
		found.Waited = e.clock - began
	}
	if !found.Settled {
		found.Left = d.backlog.leftForSure()
		if full == 0 {
			// Reads were still changing, or there was something left.
			found.Left = math.Max(found.Left, pauseLeast)
		}
	}
	return nil
}

// rising reports whether the later half of the probes is faster than the earlier one. Single probes of a disk whose rate varies
// differ by more than alike, so that the fastest of them says nothing.
func rising(rates []float64) bool {
	half := len(rates) / 2
	return half > 0 && mean(rates[len(rates)-half:]) > (1+alike)*mean(rates[:half])
}

// before returns the mean of the probes before the last two, which are fast, if they are enough for noise to average
// out.
func before(rates []float64) float64 {
	slow := rates[:max(0, len(rates)-2)]
	if len(slow) < slowProbes {
		return math.Inf(1)
	}
	return mean(slow)
}

// learn notes what a wait has shown.
func (d *drain) learn(found *model.Settling) {
	if !found.Settled {
		return
	}
	d.drained()
	d.waits = append(d.waits, model.StepResult{Settling: found})
	was := d.confirmed
	switch d.confirmed = model.SettlingNeeded(d.waits); {
	case was && !d.confirmed:
		d.probeFirst, d.ruledOut = false, true
	case !d.confirmed && found.Waited > 0:
		d.probeFirst = false
	case !d.confirmed && !d.ruledOut:
		// Reads were fast at once: the earlier slowness was noise, or had just ended.
		d.fastAtOnce++
		d.probeFirst, d.ruledOut = false, d.fastAtOnce >= mostFastAtOnce
	}
}

// drained is called when the storage has finished what was written.
func (d *drain) drained() {
	d.writes = 0
	d.backlog.forget()
}

// limit returns how much slower than their full rate reads must be to count as slow.
func (d *drain) limit() float64 {
	spread := 0.0
	if d.freedom > 0 {
		spread = math.Sqrt(d.squares / d.freedom)
	}
	most := slowerMost
	if d.backlog.leftForSure() > 0 {
		most = slowerWhileLeft
	}
	return math.Min(most, math.Max(model.SettlingGap, noisy*spread))
}

// saw takes in a repeat, and reports whether it should be repeated after a wait: it read after writes, and
// was slower than reads without them.
func (s *side) saw(v ended, settling *model.Settling) (again bool) {
	d := &s.drain
	if d.slow == nil {
		d.slow, d.rates, d.did = map[int]bool{}, map[string]float64{}, map[string][]float64{}
	}
	if v.failed != "" || len(v.samples) == 0 {
		return false
	}
	name := v.workload.Name
	if v.workload.Writes() {
		if settling != nil && !settling.Settled {
			d.slow[v.results[0].Step.Number] = true
		}
		for _, m := range v.samples {
			if m.Write != nil {
				d.writes += float64(m.Write.IOs)
			}
		}
		d.backlog.wrote(v.workload, v.samples)
		if len(flowRates(v.samples, model.Write)) == 0 {
			return false // its volumes were never written together
		}
		d.did[name] = append(d.did[name], mean(readRates(v.samples))+mean(flowRates(v.samples, model.Write)))
		return false
	}
	rates := readRates(v.samples)
	if len(rates) == 0 {
		return false // its volumes were never read together, so there is no rate of all of them
	}
	rate, clean := mean(rates), settling == nil || settling.Settled
	d.backlog.read(v.workload, rate)
	full := d.rates[name]
	// A cache that still drains slows more than single seconds.
	slower := max(rate, median(rates)) < (1-d.limit())*full
	if !clean {
		d.slow[v.results[0].Step.Number] = true
	}
	switch {
	case slower && clean:
		if settling != nil {
			// It was fast in a short probe and is slow again without a write: writes are not the cause.
			d.ruledOut, d.probeFirst = true, false
		}
		return false
	case slower:
		d.probeFirst = !d.ruledOut
		// A look has used up burst credits: that makes it slower as well, and what follows depends on it.
		return d.probeFirst && !d.noTime && settling.Waited == 0 && !v.results[0].Step.Look
	}
	if full == 0 && settling.Cut() {
		// This may not be the full rate.
		return false
	}
	d.drained()
	switch {
	case !clean && full > 0:
	case full == 0 || rate > (1+d.limit())*full:
		// The earlier value was not the full rate.
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

// settled drops the samples of repeats that began before writes had drained, once it is known that this
// made them slow.
func (d *drain) settled(samples map[string][]model.Sample) map[string][]model.Sample {
	if !d.confirmed {
		return samples
	}
	kept := make(map[string][]model.Sample, len(samples))
	for name, list := range samples {
		kept[name] = slices.DeleteFunc(slices.Clone(list), func(m model.Sample) bool { return d.slow[m.Step] })
	}
	return kept
}

// readersFirst puts the repeats that only read first in their round if reads have to wait for writes: then
// there is one wait per round.
func (s *side) readersFirst(steps []model.Step) []model.Step {
	if !s.drain.confirmed {
		return steps
	}
	sorted := slices.Clone(steps)
	slices.SortStableFunc(sorted, func(a, b model.Step) int {
		if a.Round != b.Round {
			return a.Round - b.Round
		}
		return s.writesIn(a) - s.writesIn(b)
	})
	// Planned numbers stay in chronological order.
	for i := range sorted {
		sorted[i].Number = steps[i].Number
	}
	return sorted
}

// writesIn orders repeats: those that only read, mixes, those that only write.
func (s *side) writesIn(step model.Step) int {
	switch w, _ := s.plan.Workload(step.Workload); {
	case !w.Writes():
		return 0
	case w.Reads():
		return 1
	}
	return 2
}

func mean(y []float64) float64 {
	sum := 0.0
	for _, v := range y {
		sum += v
	}
	return sum / float64(max(1, len(y)))
}

// median returns the middle value, or the mean of the two in the middle.
func median(y []float64) float64 {
	sorted := slices.Sorted(slices.Values(y))
	return mean(sorted[(len(sorted)-1)/2 : len(sorted)/2+1])
}
