package tracepoint

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model/iotrace"
)

const sda, dm = 8 << 20, 253 << 20

// following returns a pairing with one device with requests and one without.
func following() *pairing {
	p := newPairing()
	p.watch(sda, 1, []uint32{sda + 1})
	p.watch(dm, 0, []uint32{dm + 1})
	return p
}

// play passes events to a pairing; times are in µs.
func (p *pairing) play(events ...event) {
	for i := range events {
		e := events[i]
		e.time *= 1000
		if e.device == 0 {
			e.device = sda
		}
		e.bytes = e.sectors * sectorSize
		p.handle(&e)
	}
}

// figures is the totals of an operation.
type figures struct {
	ios, bytes uint64
	mean, wait float64 // µs
}

// taken returns what the pairing has summed up, by operation and by process.
func taken(p *pairing) (all map[iotrace.Operation]figures, by map[uint32]figures) {
	all, by = map[iotrace.Operation]figures{}, map[uint32]figures{}
	p.take(func(r Row, s *Sum) {
		add := func(f figures) figures {
			n := f.ios + s.Flow.IOs
			f.mean = (f.mean*float64(f.ios) + s.Flow.LatencySum*1e6) / float64(n)
			f.wait = (f.wait*float64(f.ios) + s.Wait*1e6) / float64(n)
			f.ios, f.bytes = n, f.bytes+s.Flow.Bytes
			return f
		}
		all[r.Operation], by[r.PID] = add(all[r.Operation]), add(by[r.PID])
	})
	return all, by
}

func check(t *testing.T, what string, got, want figures) {
	t.Helper()
	if got.ios != want.ios || got.bytes != want.bytes || math.Abs(got.mean-want.mean) > 1e-6 || math.Abs(got.wait-want.wait) > 1e-6 {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

func ev(time uint64, k kind, op operation, sector uint64, sectors uint32) event {
	return event{time: time, kind: k, op: op, sector: sector, sectors: sectors}
}

// by returns the event in the context of a process.
func (e event) by(pid uint32, group uint64) event {
	e.task = task{pid: pid, group: group}
	return e
}

func (e event) asking(a flushFlags) event {
	e.flushFlags = a
	return e
}

func (e event) on(device uint32) event {
	e.device = device
	return e
}

// A latency is from the last issue to the end, and an I/O belongs to the process that began it.
func TestAnIOIsPaired(t *testing.T) {
	p := following()
	p.play(ev(100, started, opRead, 64, 8).by(7, 3), ev(101, started, opWrite, 64, 16).by(8, 3),
		ev(110, issued, opRead, 64, 8).by(9, 3), ev(111, issued, opWrite, 64, 16).by(9, 3),
		ev(130, requeued, opRead, 64, 8), ev(140, issued, opRead, 64, 8).by(9, 3),
		ev(150, completed, opRead, 64, 8), ev(411, completed, opWrite, 64, 16))
	counts := p.deviceCounts(sda)
	all, by := taken(p)
	check(t, "read", all[iotrace.Read], figures{1, 4096, 10, 40})
	check(t, "write", all[iotrace.Write], figures{1, 8192, 300, 10})
	check(t, "process 7", by[7], figures{1, 4096, 10, 40})
	check(t, "process 8", by[8], figures{1, 8192, 300, 10})
	want := iotrace.Counts{Queued: 1, QueuedBytes: 4096, Issued: 2, IssuedBytes: 8192, Done: 1, DoneBytes: 4096, Requeued: 1}
	if got := counts.Operations[iotrace.Read]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if counts.Unmatched != 0 || p.count != 0 || len(p.inFlight) != 0 {
		t.Errorf("%d without a begin, %d are left", counts.Unmatched, p.count)
	}
	if again, _ := taken(p); len(again) != 0 {
		t.Errorf("given out twice: %+v", again)
	}
}

// Back and front merges before the issue become part of one request.
func TestMerges(t *testing.T) {
	p := following()
	p.play(ev(0, started, opWrite, 100, 8).by(7, 1), ev(1, backMerged, opWrite, 108, 8), ev(2, frontMerged, opWrite, 92, 8),
		ev(3, started, opWrite, 116, 8).by(8, 1), ev(4, requestMerged, opWrite, 116, 8),
		ev(10, issued, opWrite, 92, 32), ev(60, completed, opWrite, 92, 32))
	got := p.deviceCounts(sda)
	want := iotrace.Counts{Queued: 4, QueuedBytes: 32 * 512, Issued: 1, IssuedBytes: 32 * 512, Done: 1, DoneBytes: 32 * 512, Merged: 3, MergedBytes: 24 * 512}
	if got.Operations[iotrace.Write] != want || got.Unmatched != 0 || p.count != 0 {
		t.Errorf("%+v, %d are left; want %+v", got, p.count, want)
	}
	all, by := taken(p)
	check(t, "write", all[iotrace.Write], figures{1, 32 * 512, 50, 10})
	check(t, "the first process", by[7], figures{1, 32 * 512, 50, 10})
}

// If a request completes in parts, only the last one counts, even if the rest is requeued.
func TestAnswersInParts(t *testing.T) {
	p := following()
	p.play(ev(0, started, opRead, 0, 64), ev(0, issued, opRead, 0, 64), ev(10, completed, opRead, 0, 16), ev(20, completed, opRead, 16, 16), ev(30, completed, opRead, 32, 32))
	all, _ := taken(p)
	check(t, "read", all[iotrace.Read], figures{1, 64 * 512, 30, 0})
	p.play(ev(100, started, opRead, 0, 64), ev(100, issued, opRead, 0, 64), ev(110, completed, opRead, 0, 16), ev(111, requeued, opRead, 16, 48), ev(120, issued, opRead, 16, 48), ev(150, completed, opRead, 16, 48))
	all, _ = taken(p)
	check(t, "read of which the rest was requeued", all[iotrace.Read], figures{1, 48 * 512, 30, 20})
	if got := p.deviceCounts(sda); got.Unmatched != 0 || p.count != 0 {
		t.Errorf("%+v, %d are left", got, p.count)
	}
}

// An I/O whose end was not seen does not affect the next one with the same key.
func TestAnEndThatWasNotSeen(t *testing.T) {
	p := following()
	p.play(ev(0, started, opRead, 8, 8), ev(1, issued, opRead, 8, 8),
		ev(5_000_000, started, opRead, 8, 8), ev(5_000_001, issued, opRead, 8, 8), ev(5_000_051, completed, opRead, 8, 8))
	all, _ := taken(p)
	check(t, "read", all[iotrace.Read], figures{1, 4096, 50, 1})
	p.play(ev(6_000_000, completed, opRead, 4096, 8))
	if got := p.deviceCounts(sda); got.Unmatched != 1 {
		t.Errorf("%+v", got)
	}
}

// Of two with the same key, one whose length matches the completion is preferred to one of which it
// may be a part.
func TestTwoAtOnePlace(t *testing.T) {
	p := following()
	p.play(ev(1, started, opRead, 8, 8).by(1, 0), ev(1, issued, opRead, 8, 8), ev(10, started, opRead, 8, 64).by(2, 0), ev(10, issued, opRead, 8, 64),
		ev(31, completed, opRead, 8, 8), ev(50, completed, opRead, 8, 64))
	_, by := taken(p)
	check(t, "the short one", by[1], figures{1, 4096, 30, 0})
	check(t, "the long one", by[2], figures{1, 64 * 512, 40, 0})
}

// One fdatasync is a flush-wait, which ends without its letter, and a flush of the process that
// waits.
func TestAFlushIsWaitedFor(t *testing.T) {
	p := following()
	p.play(ev(0, started, opWait, 0, 0).asking(preflush).by(7, 3), ev(5, issued, opFlush, 0, 0).by(99, 9), ev(105, completed, opFlush, 0, 0), ev(106, completed, opWrite, 0, 0))
	all, by := taken(p)
	check(t, "flush", all[iotrace.Flush], figures{1, 0, 100, 0})
	check(t, "flush-wait", all[iotrace.FlushWait], figures{1, 0, 106, 0})
	if by[7].ios != 2 {
		t.Errorf("%+v", by)
	}
	got := p.deviceCounts(sda)
	if got.Operations[iotrace.FlushWait] != (iotrace.Counts{Queued: 1, Done: 1}) || got.Operations[iotrace.Flush] != (iotrace.Counts{Issued: 1, Done: 1}) || len(got.Operations) != 2 {
		t.Errorf("%+v", got)
	}
}

// Several requests waiting for one flush are answered in the order in which they came.
func TestWaitsAreAnsweredInOrder(t *testing.T) {
	p := following()
	p.play(ev(0, started, opWait, 0, 0).asking(preflush).by(1, 0), ev(50, started, opWait, 0, 0).asking(preflush).by(2, 0), ev(60, issued, opFlush, 0, 0), ev(160, completed, opFlush, 0, 0),
		ev(161, completed, opWrite, 0, 0), ev(171, completed, opWrite, 0, 0))
	_, by := taken(p)
	check(t, "the first", by[1], figures{1, 0, 161, 0})
	check(t, "the second", by[2], figures{1, 0, 121, 0})
}

// If several processes of one cgroup wait, the flush belongs to the cgroup; if of several cgroups, to
// no one.
func TestWhoseAFlushIs(t *testing.T) {
	for name, c := range map[string]struct {
		other event
		want  task
	}{
		"alone":          {event{}, task{pid: 7, group: 3}},
		"two of a group": {ev(1, started, opWait, 0, 0).asking(preflush).by(8, 3), task{group: 3}},
		"two groups":     {ev(1, started, opWait, 0, 0).asking(preflush).by(8, 4), task{}},
	} {
		p := following()
		p.play(ev(0, started, opWait, 0, 0).asking(preflush).by(7, 3))
		if c.other.kind == started && c.other.flushFlags != 0 {
			p.play(c.other)
		}
		p.play(ev(5, issued, opFlush, 0, 0), ev(9, completed, opFlush, 0, 0))
		var got []task
		p.take(func(r Row, _ *Sum) { got = append(got, task{pid: r.PID, group: r.Cgroup}) })
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// A write with data that requires flushes completes once more when they are done: that is not an I/O,
// and until then the device's flush belongs to it.
func TestAWriteBetweenFlushes(t *testing.T) {
	p := following()
	once := func(at uint64) {
		p.play(ev(at, started, opWrite, 64, 8).asking(preflush|postflush).by(7, 3), ev(at+1, issued, opFlush, 0, 0), ev(at+2, completed, opFlush, 0, 0),
			ev(at+3, issued, opWrite, 64, 8), ev(at+4, completed, opWrite, 64, 8), ev(at+5, issued, opFlush, 0, 0), ev(at+6, completed, opFlush, 0, 0), ev(at+7, completed, opWrite, 72, 0))
	}
	once(0)
	_, _ = taken(p)
	once(100) // now it is known that this device completes once more
	all, by := taken(p)
	check(t, "write", all[iotrace.Write], figures{1, 4096, 1, 3})
	if all[iotrace.Flush].ios != 2 || by[7].ios != 3 {
		t.Errorf("%+v, of the process %+v", all, by[7])
	}
	if got := p.deviceCounts(sda); got.Unmatched != 0 || p.count != 0 || len(p.devices[sda].waiting) != 0 {
		t.Errorf("%+v, %d are left, and %d wait", got, p.count, len(p.devices[sda].waiting))
	}
}

// Missing ends do not shift the pairing of requests that wait for a flush forever.
func TestWaitsWhoseEndWasNotSeen(t *testing.T) {
	p := following()
	p.play(ev(0, started, opWait, 0, 0).asking(preflush).by(1, 0), ev(1, issued, opFlush, 0, 0), ev(9, completed, opFlush, 0, 0)) // its end is not seen
	for i := range uint64(10) {
		at := 1000 * (i + 1)
		p.play(ev(at, started, opWait, 0, 0).asking(preflush).by(2, 0), ev(at+1, issued, opFlush, 0, 0), ev(at+9, completed, opFlush, 0, 0), ev(at+10, completed, opWrite, 0, 0))
		if i == 4 {
			_, _ = taken(p)
		}
	}
	all, by := taken(p)
	check(t, "flush-wait", all[iotrace.FlushWait], figures{5, 0, 10, 0})
	if by[2].ios != 10 {
		t.Errorf("%+v", by)
	}
	// After records are known to be lost, no older request is paired any more.
	p.play(ev(90_000, started, opWait, 0, 0).asking(preflush))
	p.lost()
	p.play(ev(90_010, completed, opWrite, 0, 0))
	if got := p.deviceCounts(sda); got.Unmatched != 1 || p.count != 0 {
		t.Errorf("%+v, %d are left", got, p.count)
	}
}

// Devices without requests are followed by the bio, even if it is split or used up when it ends, and
// by a partition's number; other devices are not.
func TestStackedDevices(t *testing.T) {
	p := following()
	p.play(ev(0, bioQueued, opRead, 0, 64).on(dm).by(7, 0), ev(10, bioQueued, opWrite, 128, 8).on(dm+1).by(8, 0), ev(11, bioQueued, opWrite, 256, 8).on(dm).by(8, 0),
		ev(20, bioCompleted, opRead, 16, 48).on(dm), // the split-off part has gone
		ev(30, bioCompleted, opWrite, 136, 0).on(dm), ev(51, bioCompleted, opWrite, 256, 8).on(dm),
		ev(60, bioQueued, opRead, 0, 8), ev(70, bioCompleted, opRead, 0, 8), ev(80, started, opRead, 0, 8).on(dm))
	all, _ := taken(p)
	check(t, "read", all[iotrace.Read], figures{1, 64 * 512, 20, 0})
	check(t, "write", all[iotrace.Write], figures{2, 16 * 512, 30, 0})
	if got := p.deviceCounts(sda); got.Operations != nil || got.Unmatched != 0 {
		t.Errorf("bios of a device with requests: %+v", got)
	}
	if got := p.deviceCounts(dm); got.Unmatched != 0 || got.Operations[iotrace.Write].Queued != 2 {
		t.Errorf("%+v", got)
	}
}

// Before Linux 6.5 an I/O begins with its insertion, which is repeated after a requeue, or with its
// issue.
func TestOlderKernels(t *testing.T) {
	p := following()
	p.byInsertion = true
	p.play(ev(0, started, opRead, 8, 8).by(7, 0), ev(10, issued, opRead, 8, 8), ev(20, requeued, opRead, 8, 8), ev(21, started, opRead, 8, 8).by(99, 0), ev(30, issued, opRead, 8, 8), ev(50, completed, opRead, 8, 8),
		ev(60, issued, opWrite, 8, 8).by(7, 0), ev(90, completed, opWrite, 8, 8),
		ev(91, started, opFlush, 0, 0), ev(92, issued, opFlush, 0, 0), ev(102, completed, opFlush, 0, 0))
	all, by := taken(p)
	check(t, "read", all[iotrace.Read], figures{1, 4096, 20, 30})
	check(t, "write", all[iotrace.Write], figures{1, 4096, 30, 0})
	check(t, "flush", all[iotrace.Flush], figures{1, 0, 10, 0})
	if by[7].ios != 2 || p.count != 0 {
		t.Errorf("%+v, %d are left", by, p.count)
	}
}

// I/Os for which there is no room are counted, and those that must have ended unseen long ago make
// room.
func TestRoom(t *testing.T) {
	p := following()
	p.maxInFlight, p.maxRows = 2, 1
	p.play(ev(0, started, opRead, 0, 8), ev(1, started, opRead, 8, 8), ev(2, started, opRead, 16, 8))
	if got := p.deviceCounts(sda); got.Overflowed != 1 || got.Operations[iotrace.Read].Queued != 3 {
		t.Errorf("%+v", got)
	}
	p.play(ev(61_000_000, started, opRead, 24, 8), ev(61_000_001, started, opWrite, 32, 8), ev(61_000_002, completed, opRead, 24, 8), ev(61_000_003, completed, opWrite, 32, 8))
	if got := p.deviceCounts(sda); got.Overflowed != 1 || got.Dropped != 1 || got.Operations[iotrace.Write].Done != 1 || p.count != 0 {
		t.Errorf("%+v, %d are left", got, p.count)
	}
}

// Errors are counted; devices that are not watched are ignored.
func TestErrorsAndOthersDevices(t *testing.T) {
	p := following()
	failed := ev(9, completed, opWrite, 8, 8)
	failed.failed = true
	p.play(ev(0, started, opWrite, 8, 8), ev(1, issued, opWrite, 8, 8), failed, ev(10, started, opRead, 8, 8).on(9<<20), ev(11, completed, opRead, 8, 8).on(9<<20))
	if got := p.deviceCounts(sda); got.Operations[iotrace.Write].Errors != 1 || len(got.Operations) != 1 {
		t.Errorf("%+v", got)
	}
	if got := p.deviceCounts(9 << 20); got.Operations != nil || p.count != 0 {
		t.Errorf("%+v", got)
	}
}
