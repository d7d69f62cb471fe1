package open

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/units"
)

// ending is the outcome of a repeat.
type ending struct {
	// due is the number of I/Os due in the measured part, begun the number of all I/Os begun, late
	// the seconds by which we began them too late, excluding time spent waiting for a free slot or
	// for an earlier submission to return.
	due, begun, failed uint64
	late               float64
	fault              string
	user, system       float64
	// waited is the share of the time in which our thread waited for a processor; nil if unknown.
	waited *float64
	stalls []model.Stall
	// depth counts the I/Os by the number in flight when they began, in powers of two.
	depth [16]uint64
}

// levels returns the share of the I/Os by depth, under fio's names of the buckets.
func (e *ending) levels() map[string]float64 {
	levels := map[string]float64{}
	for i, n := range e.depth {
		if n > 0 {
			name := fmt.Sprint(1 << i)
			if i >= 6 {
				name = ">=64"
			}
			levels[name] += float64(n) / float64(e.begun)
		}
	}
	return levels
}

// loop is a repeat in progress. Times are seconds since it began.
type loop struct {
	ending
	dev      device
	w        model.Workload
	step     model.Step
	size     int64
	rng      *rand.Rand
	now      func() float64
	samples  chan<- model.Sample
	next     float64 // when the next I/O is due
	held     holds
	dueAt    []float64 // of each slot
	free     []int
	position int64
	flow     *model.Flow
	edge     float64 // when the current sample ends
	max      float64
	answered float64 // when an I/O last completed, or one began while none was in flight
}

// keepTime runs a repeat and closes samples; then it sends the ending to over.
func keepTime(ctx context.Context, clock env.Clock, dev device, req model.StartRequest, samples chan<- model.Sample, over chan<- ending) {
	// The thread must outlive this goroutine, or processes that it has started would get their
	// parent-death signal.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	preciseTimers(true)
	defer preciseTimers(false)
	l := &loop{
		dev: dev, w: req.Workload, step: req.Step, size: req.Volume.Size, samples: samples,
		rng: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), flow: &model.Flow{},
		now: clock.Watch(), edge: req.Step.Ramp + 1,
	}
	for slot := range req.Workload.Depth {
		l.free = append(l.free, slot)
	}
	l.dueAt = make([]float64, req.Workload.Depth)
	// Each sequential repeat begins at a different place.
	l.position = int64(req.Step.Offset*float64(l.size)) / l.w.BlockSize * l.w.BlockSize
	user, system := threadCPU()
	waits := threadWaits()
	l.draw()
	l.play(ctx)
	played := l.now()
	idle := l.drain(ctx)
	l.close(min(played, l.end()))
	u, s := threadCPU()
	if t := l.now(); t > 0 {
		l.user, l.system = (u-user)/t, (s-system)/t
		if w := waits(); w != nil {
			*w /= t
			l.waited = w
		}
	}
	dev.close(idle)
	close(samples)
	over <- l.ending
}

// draw makes the next I/O due: the intervals are exponential (Poisson process).
func (l *loop) draw() {
	l.next += l.rng.ExpFloat64() / l.w.RateIOPS
	if l.next >= l.step.Ramp && l.next < l.end() {
		l.due++
	}
}

func (l *loop) end() float64 { return l.step.Ramp + l.step.Seconds }

// longestWait limits a sleep, in seconds, so that an interrupt is noticed soon.
const longestWait = 0.1

// play begins I/Os that are due and counts those that complete, until the end of the repeat.
func (l *loop) play(ctx context.Context) {
	for l.fault == "" {
		now := l.now()
		l.tick(now)
		if now >= l.end() {
			break
		}
		if ctx.Err() != nil {
			l.fault = model.StoppedStep
			return
		}
		wait := min(longestWait, l.edge-now, l.end()-now)
		switch {
		case l.next > now:
			l.reap(max(0, min(wait, l.next-now)))
		case len(l.free) == 0:
			l.reap(max(0, wait))
			l.held.add(now, l.now())
		default:
			l.start(now)
			l.reap(0)
		}
	}
	// I/Os that were due but could not begin still count as due.
	for l.fault == "" && l.next < l.end() {
		l.draw()
	}
}

// start begins the I/O that is due.
func (l *loop) start(now float64) {
	if len(l.free) == len(l.dueAt) {
		l.answered = now
	}
	slot := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	l.dueAt[slot] = l.next
	l.late += max(0, now-l.next-l.held.since(l.next))
	l.begun++
	l.depth[min(len(l.depth)-1, int(math.Log2(float64(len(l.dueAt)-len(l.free)))))]++
	before := l.now()
	if err := l.dev.submit(slot, l.w.Writes(), l.place()); err != nil {
		l.fail(err)
	}
	if after := l.now(); after-before >= heldFor {
		l.held.add(before, after)
	}
	l.draw()
}

// place returns the offset of the next I/O in bytes.
func (l *loop) place() int64 {
	blocks := l.size / l.w.BlockSize
	if l.w.Access == model.Random {
		return l.rng.Int64N(blocks) * l.w.BlockSize
	}
	at := l.position
	if l.position += l.w.BlockSize; l.position+l.w.BlockSize > l.size {
		l.position = 0
	}
	return at
}

// reap counts the I/Os that complete within the given time in seconds.
func (l *loop) reap(wait float64) {
	now, known := 0.0, false
	err := l.dev.reap(time.Duration(wait*float64(time.Second)), func(slot int, err error) {
		if !known {
			now, known = l.now(), true
			l.tick(now)
			l.answer(now)
		}
		l.free = append(l.free, slot)
		if err != nil {
			l.fail(err)
			return
		}
		if now >= l.step.Ramp && now < l.end() {
			l.count(now - l.dueAt[slot])
		}
	})
	if err != nil {
		l.fail(err)
	}
}

func (l *loop) fail(err error) {
	l.failed++
	if l.fault == "" {
		l.fault = err.Error()
	}
}

// count adds an I/O to the current second.
func (l *loop) count(latency float64) {
	l.max = max(l.max, latency)
	l.flow.IOs++
	l.flow.Bytes += uint64(l.w.BlockSize)
	l.flow.LatencySum += latency
	l.flow.Histogram.Add(histogram.BucketOf(uint64(latency*1e9)), 1)
}

// tick emits the samples that have ended by now. A second in which the thread was held up, or in
// which no I/O completed, is a sample too. The last one waits for the I/Os in flight.
func (l *loop) tick(now float64) { l.close(min(now, l.end()-0.5)) }

// close emits the samples that end by the given time.
func (l *loop) close(by float64) {
	for l.edge <= by+1e-9 {
		l.flow.Max = l.max
		s := model.Sample{Step: l.step.Number, End: l.edge, Seconds: 1}
		if l.w.Writes() {
			s.Write = l.flow
		} else {
			s.Read = l.flow
		}
		l.samples <- s
		l.flow = &model.Flow{}
		l.edge++
	}
}

// answer records that an I/O completed, and how long none had.
func (l *loop) answer(now float64) {
	if stood := now - l.answered; stood >= model.LeastStall && len(l.stalls) < mostStalls {
		l.stalls = append(l.stalls, model.Stall{Begin: l.answered, Seconds: stood})
	}
	l.answered = now
}

// mostStalls limits the list of stalls.
const mostStalls = 100

// drain waits for the I/Os in flight, and reports whether all have completed. Those that complete
// now fall into the time after the repeat and do not count, unless the storage is stalled:
// otherwise a stall at the end of a repeat would leave no trace.
func (l *loop) drain(ctx context.Context) bool {
	over, limit, stalls := l.now(), drainLimit, len(l.stalls)
	for len(l.free) < len(l.dueAt) && l.now() < over+limit.Seconds() {
		if ctx.Err() != nil {
			limit = stopLimit
		}
		err := l.dev.reap(time.Duration(longestWait*float64(time.Second)), func(slot int, err error) {
			now := l.now()
			l.answer(now)
			l.free = append(l.free, slot)
			switch {
			case err != nil:
				l.fail(err)
			case len(l.stalls) > stalls && l.dueAt[slot] >= l.step.Ramp:
				l.count(now - l.dueAt[slot])
			}
		})
		if err != nil {
			l.fail(err)
			return false
		}
	}
	if left := len(l.dueAt) - len(l.free); left > 0 {
		l.fail(fmt.Errorf("%d I/Os had not ended %s after the repeat", left, units.FormatSpan(limit.Seconds())))
		return false
	}
	return true
}
