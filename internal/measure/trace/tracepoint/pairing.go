package tracepoint

import (
	"math/bits"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// Row identifies the I/Os that a sum covers: whose they are and of which kind.
type Row struct {
	// Device is the kernel's internal device number (MKDEV).
	Device    uint32
	Operation iotrace.Operation
	// Size is the size of the I/Os in bytes, rounded down to a power of two; 0 without data.
	Size    int64
	PID     uint32
	Command [16]byte
	// Cgroup is its number, 0 if unknown.
	Cgroup uint64
}

// Sum is the totals of a row's I/Os. Times are in seconds.
type Sum struct {
	Flow model.Flow
	// Wait is the sum of the times from the beginning to the last issue.
	Wait float64
}

// Device is what was counted for one device.
type Device struct {
	Operations map[iotrace.Operation]iotrace.Counts
	// Unmatched, Overflowed and Dropped are as in iotrace.Device.
	Unmatched, Overflowed, Dropped uint64
}

// The maximum number of I/Os in flight, and of rows within a second.
const (
	maxInFlight = 1 << 17
	maxRows     = 1 << 16
)

// staleAge is the age in ns at which, if room is needed, an I/O in flight is assumed to have ended
// unseen.
const staleAge = 60e9

// key finds an I/O, since no event says which request it belongs to. Requests are found by their
// first sector, bios by the one after their last, which does not change when they are split.
type key struct {
	device uint32
	op     operation
	bio    bool
	sector uint64
}

// pendingIO is an I/O that has begun.
type pendingIO struct {
	start, issue uint64 // ns; issue is 0 before it is issued
	bytes, left  uint32 // left is the number of sectors that have not completed
	flushFlags   flushFlags
	requeued     bool
	task         task
	// older is the next older I/O with the same key.
	older *pendingIO
}

// pairing turns events, which must come in chronological order, into I/Os.
type pairing struct {
	devices  map[uint32]*watchedDevice
	inFlight map[key]*pendingIO
	count    int
	rows     map[Row]*Sum
	free     *pendingIO
	// byInsertion is true if an I/O begins with its insertion into the scheduler.
	byInsertion bool
	// maxInFlight and maxRows are limits.
	maxInFlight, maxRows int
}

// watchedDevice is a device that is followed.
type watchedDevice struct {
	number  uint32
	stacked bool
	counts  [opCount]iotrace.Counts
	Device
	flushes
}

func newPairing() *pairing {
	return &pairing{devices: map[uint32]*watchedDevice{}, inFlight: map[key]*pendingIO{}, rows: map[Row]*Sum{}, maxInFlight: maxInFlight, maxRows: maxRows}
}

// watch begins to follow a device with that many queues, 0 for one without requests. parts are the
// numbers of its partitions, which bios still carry.
func (p *pairing) watch(number uint32, queues int, parts []uint32) {
	d := &watchedDevice{number: number, stacked: queues == 0, flushes: flushes{ended: make([]uint64, flushHistory(queues))}}
	p.devices[number] = d
	if d.stacked {
		for _, part := range parts {
			p.devices[part] = d
		}
	}
}

// deviceCounts returns what was counted for a device since watch.
func (p *pairing) deviceCounts(number uint32) Device {
	d := p.devices[number]
	if d == nil {
		return Device{}
	}
	out := d.Device
	for op, c := range d.counts {
		if c != (iotrace.Counts{}) {
			if out.Operations == nil {
				out.Operations = map[iotrace.Operation]iotrace.Counts{}
			}
			out.Operations[operations[op]] = c
		}
	}
	return out
}

// take passes to yield the sums since the last call, and deletes them.
func (p *pairing) take(yield func(Row, *Sum)) {
	for row, sum := range p.rows {
		yield(row, sum)
	}
	p.rows = map[Row]*Sum{}
}

// handle handles an event.
func (p *pairing) handle(e *event) {
	d := p.devices[e.device]
	if d == nil || (e.kind == bioQueued || e.kind == bioCompleted) != d.stacked {
		return
	}
	e.device = d.number
	c := &d.counts[e.op]
	switch e.kind {
	case started:
		p.onStart(d, e)
	case issued:
		c.Issued++
		c.IssuedBytes += uint64(e.bytes)
		p.onIssue(d, e)
	case completed:
		p.onComplete(d, e)
	case requeued:
		c.Requeued++
		if f := newest(p.inFlight[e.key()], func(f *pendingIO) bool { return f.issue != 0 && !f.requeued }); f != nil {
			f.requeued = true
		}
	case requestMerged:
		c.Merged++
		c.MergedBytes += uint64(e.bytes)
		if f := newest(p.inFlight[e.key()], notIssued); f != nil {
			d.removeFlushWait(f)
			p.remove(e.key(), f)
		}
	case backMerged, frontMerged:
		c.Merged++
		c.MergedBytes += uint64(e.bytes)
		c.Queued++
		c.QueuedBytes += uint64(e.bytes)
		if e.kind == frontMerged {
			p.onFrontMerge(e)
		}
	case bioQueued:
		c.Queued++
		c.QueuedBytes += uint64(e.bytes)
		p.add(d, e.bioKey(), pendingIO{start: e.time, issue: e.time, bytes: e.bytes, left: e.sectors, task: e.task})
	case bioCompleted:
		if f := newest(p.inFlight[e.bioKey()], func(*pendingIO) bool { return true }); f != nil {
			p.record(d, e, f)
			p.remove(e.bioKey(), f)
		} else {
			d.Unmatched++
		}
	}
}

// key returns the key of an event's request. All requests that wait for a flush of a device share a
// key.
func (e *event) key() key {
	if e.op == opWait || e.op == opFlush {
		return key{device: e.device, op: e.op}
	}
	return key{device: e.device, op: e.op, sector: e.sector}
}

func (e *event) bioKey() key { return key{device: e.device, op: e.op, bio: true, sector: e.end()} }

func notIssued(f *pendingIO) bool { return f.issue == 0 || f.requeued }

func (p *pairing) onStart(d *watchedDevice, e *event) {
	if e.op == opFlush {
		return // no event reports its creation
	}
	if p.byInsertion {
		if f := newest(p.inFlight[e.key()], func(f *pendingIO) bool { return f.requeued }); f != nil {
			return // a requeued request is inserted once more
		}
	}
	p.begin(d, e)
}

// begin counts a new request and adds it to those in flight.
func (p *pairing) begin(d *watchedDevice, e *event) *pendingIO {
	d.counts[e.op].Queued++
	d.counts[e.op].QueuedBytes += uint64(e.bytes)
	f := p.add(d, e.key(), pendingIO{start: e.time, bytes: e.bytes, left: e.sectors, flushFlags: e.flushFlags, task: e.task})
	d.addFlushWait(f)
	return f
}

func (p *pairing) onIssue(d *watchedDevice, e *event) {
	if e.op == opFlush {
		f := pendingIO{start: e.time, issue: e.time, task: d.owner(e.time)}
		p.add(d, e.key(), f)
		return
	}
	f := oldest(p.inFlight[e.key()], notIssued)
	if f == nil {
		f = p.begin(d, e)
	}
	if f != nil {
		// Merges may have made it larger since it was created.
		f.issue, f.bytes, f.left, f.requeued = e.time, e.bytes, e.sectors, false
	}
}

// onFrontMerge updates a request that a front merge has made start earlier.
func (p *pairing) onFrontMerge(e *event) {
	was := key{device: e.device, op: e.op, sector: e.end()}
	if f := newest(p.inFlight[was], notIssued); f != nil {
		p.unlink(was, f)
		f.left += e.sectors
		p.link(e.key(), f)
	}
}

func (p *pairing) onComplete(d *watchedDevice, e *event) {
	var f *pendingIO
	switch {
	case e.sectors == 0 && (e.op == opWrite || e.op == opWait):
		// A write without data. The kernel has removed the letter of the flush that it requested.
		if e.sector != 0 {
			d.onSequenceComplete(e)
			return
		}
		e.op = opWait
		p.dropStaleWaits(d, e.key())
		// Waiting requests are answered in the order in which they came.
		f = oldest(p.inFlight[e.key()], func(*pendingIO) bool { return true })
	default:
		f = p.findCompleted(e)
	}
	at := e.key()
	switch {
	case f == nil:
		d.Unmatched++
	case e.sectors < f.left:
		// If a request completes in parts, only the last part counts.
		p.unlink(at, f)
		f.left -= e.sectors
		p.link(key{device: at.device, op: at.op, sector: e.end()}, f)
	default:
		p.record(d, e, f)
		if e.op == opFlush {
			d.onFlushComplete(f.issue)
		}
		d.onDataComplete(f, e.end(), e.time)
		p.remove(at, f)
	}
}

// findCompleted returns the I/O that has completed: the newest one, because the end of an older one
// under the same key may not have been seen; and one of the same length rather than a longer one
// that may have completed in part.
func (p *pairing) findCompleted(e *event) *pendingIO {
	first := p.inFlight[e.key()]
	for _, match := range []func(*pendingIO) bool{
		func(f *pendingIO) bool { return f.issue != 0 && f.left == e.sectors },
		func(f *pendingIO) bool { return f.issue != 0 && f.left > e.sectors },
		func(f *pendingIO) bool { return f.left >= e.sectors },
	} {
		if f := newest(first, match); f != nil {
			return f
		}
	}
	return nil
}

// record counts an I/O and adds it to its row.
func (p *pairing) record(d *watchedDevice, e *event, f *pendingIO) {
	c := &d.counts[e.op]
	c.Done++
	c.DoneBytes += uint64(f.bytes)
	if e.failed {
		c.Errors++
	}
	from := f.issue
	if from == 0 || e.op == opWait {
		from = f.start
	}
	row := Row{Device: d.number, Operation: operations[e.op], PID: f.task.pid, Command: f.task.command, Cgroup: f.task.group}
	if f.bytes > 0 {
		row.Size = 1 << (bits.Len32(f.bytes) - 1)
	}
	sum := p.rows[row]
	if sum == nil {
		if len(p.rows) >= p.maxRows {
			d.Dropped++
			return
		}
		sum = &Sum{}
		p.rows[row] = sum
	}
	took := since(e.time, from)
	sum.Flow.IOs++
	sum.Flow.Bytes += uint64(f.bytes)
	sum.Flow.LatencySum += float64(took) / 1e9
	sum.Flow.Max = max(sum.Flow.Max, float64(took)/1e9)
	sum.Flow.Histogram.Add(histogram.BucketOf(took), 1)
	sum.Wait += float64(since(from, f.start)) / 1e9
}

// since returns the time between two instants, at least 0: the clocks of two processors may differ
// slightly.
func since(now, before uint64) uint64 {
	if now < before {
		return 0
	}
	return now - before
}
