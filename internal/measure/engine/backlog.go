package engine

import (
	"cmp"
	"math"

	"github.com/loadline/loadline/internal/model"
)

const (
	// rateSeconds is over how many successive seconds of a repeat that writes a rate is taken: in the slowest such seconds
	// a cache may have been full, so their rate may be that of the disk.
	rateSeconds = 3
	// largeBlock is the minimum block size, in bytes, at which reads show the bandwidth of a disk.
	largeBlock = 64 << 10
	// readsLeave is the share of a disk that writes get beside reads.
	readsLeave = 0.5
)

// backlog estimates for how long the storage may go on writing what it has acknowledged: what was written since it
// was last known to have finished, at the rate at which its disk can write, less the time that has passed. A disk
// without a cache has written everything as fast as it can, so that nothing is left.
type backlog struct {
	// prefill is how long the disk takes for the prefill, in seconds, and pieces the number of its I/Os.
	prefill, pieces float64
	flows           map[string]*written
	// passed is the time since the first of these writes, in seconds; time with reads counts by the share that they
	// leave. until is the clock up to which it is counted.
	passed, until float64
	// reads are random reads per second, bytes the bytes per second that were read, bandwidth those that were read in
	// large blocks, each at its highest level, and probed the bandwidth before the first repeat.
	reads, bytes, bandwidth, probed float64
}

// written is what one workload has written.
type written struct {
	sequential bool
	ios, bytes float64
	// together are the I/Os of the seconds in which all volumes were written.
	together, seconds float64
	// slowest and fastest are its lowest and its highest rate over a few seconds, in 1/s.
	slowest, fastest float64
}

// rate returns how fast the disk did the writes, in 1/s, as far as they show it: if the rate varies so much that a cache
// was filled, as fast as they were then.
func (f *written) rate() float64 {
	if f.fastest >= absorbing*f.slowest && f.slowest > 0 {
		return f.slowest
	}
	return f.together / math.Max(f.seconds, 1)
}

// pass counts the time up to the clock, in which writes got a share of the disk.
func (b *backlog) pass(clock, share float64) {
	b.passed += share * math.Max(0, clock-b.until)
	b.until = math.Max(b.until, clock)
}

// wrote adds a writing repeat.
func (b *backlog) wrote(w model.Workload, samples []model.Sample) {
	// Before any read, 0 only means that nothing is known of the disk.
	if b.bytes > 0 && b.left() <= 0 {
		b.forget()
	}
	if b.flows == nil {
		b.flows = map[string]*written{}
	}
	f := b.flows[w.Name]
	if f == nil {
		f = &written{sequential: w.Access == model.Sequential, slowest: math.Inf(1)}
		b.flows[w.Name] = f
	}
	for _, m := range samples {
		if m.Write != nil {
			f.ios, f.bytes = f.ios+float64(m.Write.IOs), f.bytes+float64(m.Write.Bytes)
		}
	}
	rates := flowRates(samples, model.Write)
	f.together, f.seconds = f.together+mean(rates)*float64(len(rates)), f.seconds+float64(len(rates))
	n := min(rateSeconds, len(rates))
	for i := range len(rates) - n + 1 {
		if n > 0 {
			rate := mean(rates[i : i+n])
			f.slowest, f.fastest = math.Min(f.slowest, rate), math.Max(f.fastest, rate)
		}
	}
}

// during counts the time of a repeat: writes get all of the disk while they are measured, and a share beside reads.
func (b *backlog) during(w model.Workload, clock float64) {
	if w.Writes() {
		b.pass(clock, 1)
		return
	}
	b.pass(clock, readsLeave)
}

// read notes how fast the disk can read.
func (b *backlog) read(w model.Workload, rate float64) {
	bytes := rate * float64(w.BlockSize)
	if w.Access == model.Random {
		b.reads = highest(b.reads, rate)
	}
	if w.BlockSize >= largeBlock {
		b.bandwidth = highest(b.bandwidth, bytes)
	}
	b.bytes = highest(b.bytes, bytes)
}

// highest returns the highest level that was seen so far: a rate that belongs to it moves it only as far as noise
// averages out, and a much lower one, of reads beside writes or of a shallow queue, not at all.
func highest(level, rate float64) float64 {
	switch {
	case rate > (1+model.SettlingGap)*level:
		return rate
	case rate >= (1-model.SettlingGap)*level:
		return (level + rate) / 2
	}
	return level
}

// forget is called when everything has been written.
func (b *backlog) forget() { b.prefill, b.pieces, b.flows, b.passed = 0, 0, nil, 0 }

// left returns for how many more seconds of its disk the storage may be writing.
func (b *backlog) left() float64 {
	needs := b.prefill
	if b.pieces > 0 && b.reads > 0 {
		needs += b.pieces / b.reads
	}
	for _, f := range b.flows {
		needs += b.needs(f)
	}
	return math.Max(0, needs-b.passed)
}

// leftForSure returns the same, and 0 if it is so short that it says nothing.
func (b *backlog) leftForSure() float64 {
	if left := b.left(); left >= pauseLeast {
		return left
	}
	return 0
}

// needs returns how many seconds the disk takes for what a workload has written.
func (b *backlog) needs(f *written) float64 {
	bySize, byCount := 0.0, 0.0
	known := cmp.Or(b.bandwidth, b.probed)
	if bandwidth := cmp.Or(known, b.bytes); bandwidth > 0 {
		bySize = f.bytes / bandwidth
	}
	if rate := math.Min(f.rate(), b.reads); rate > 0 {
		byCount = f.ios / rate
	}
	switch {
	case known == 0 && bySize > 0 && byCount > 0:
		// Reads of small blocks do not show the bandwidth.
		return math.Min(bySize, byCount)
	case f.sequential && bySize > 0:
		// The storage may merge them.
		return bySize
	}
	return math.Max(bySize, byCount)
}
