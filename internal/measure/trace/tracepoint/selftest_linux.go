package tracepoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrBlind means that a kernel's events are not reliable.
var ErrBlind = errors.New("this kernel writes no record of some events that happen on idle processors")

// Limits of the self-test: how many events a processor must have had to be judged, and which share of
// their records may be missing.
const (
	minTestEvents = 20
	testShare     = 0.01
)

// SelfTest lets processors sleep and wakes them, and compares the records of that with the number of
// events, which the kernel counts in any case. Linux 6.18 has been seen to write no record of what
// happens in an interrupt on an idle processor, where most I/Os end: then it returns ErrBlind. It
// takes a fifth of a second. It finds nothing on processors that are not idle during the test;
// Reader.Counts later reports the records that are missing there.
func SelfTest() error {
	r := &Reader{stop: make(chan struct{})}
	err := r.selfTest()
	return errors.Join(err, r.Close())
}

func (r *Reader) selfTest() (err error) {
	if r.files, err = openTracefs(); err != nil {
		return err
	}
	f, err := r.files.format("irq/softirq_entry")
	if err != nil {
		return err
	}
	numbers, err := onlineProcessors()
	if err != nil {
		return err
	}
	if err := r.openRings(numbers); err != nil {
		return err
	}
	o := &openEvent{}
	r.events = append(r.events, o)
	for _, c := range r.cpus {
		fd, err := c.open(uint64(f.id), r.cgroups, "")
		if err != nil {
			return err
		}
		o.fds = append(o.fds, fd)
	}
	wakeProcessors(numbers)
	for i, c := range r.cpus {
		if err := unix.IoctlSetInt(o.fds[i], unix.PERF_EVENT_IOC_DISABLE, 0); err != nil {
			return err
		}
		had := eventCount(o.fds[i])
		var seen uint64
		c.drain(&r.scratch, func(kind uint32, body []byte) {
			switch kind {
			case typeSample:
				seen++
			case typeLost:
				seen += lostCount(body)
			}
		})
		if err := judgeTest(c.number, had, seen); err != nil {
			return err
		}
	}
	return nil
}

// judgeTest compares how many events a processor had with how many records there are.
func judgeTest(number int, had, seen uint64) error {
	if had >= minTestEvents && seen < had && float64(had-seen) > testShare*float64(had) {
		return fmt.Errorf("%w: on processor %d there were records of %d in %d", ErrBlind, number, seen, had)
	}
	return nil
}

// eventCount returns how often an open event has happened; 0 if that cannot be read.
func eventCount(fd int) uint64 {
	var raw [8]byte
	if n, err := unix.Read(fd, raw[:]); err != nil || n != len(raw) {
		return 0
	}
	return binary.NativeEndian.Uint64(raw[:])
}

// wakeProcessors lets each processor that this process may use sleep, and wakes it by timers that
// expire in soft interrupts, some fifty times.
func wakeProcessors(numbers []int) {
	var all sync.WaitGroup
	for _, n := range numbers {
		all.Add(1)
		go func() {
			defer all.Done()
			runtime.LockOSThread()
			var before, only unix.CPUSet
			if unix.SchedGetaffinity(0, &before) != nil {
				runtime.UnlockOSThread()
				return
			}
			// The thread is bound to a processor only for this test, but must outlive it: processes
			// that it started earlier get their parent-death signal when it ends.
			defer func() {
				if unix.SchedSetaffinity(0, &before) == nil {
					runtime.UnlockOSThread()
				}
			}()
			only.Set(n)
			if unix.SchedSetaffinity(0, &only) != nil {
				return
			}
			pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				return
			}
			defer unix.Close(pair[0])
			defer unix.Close(pair[1])
			const each = 4000 // µs; the timers of sockets expire in soft interrupts
			if unix.SetsockoptTimeval(pair[0], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: each}) != nil {
				return
			}
			for range 50 {
				var nothing [1]byte
				_, _ = unix.Read(pair[0], nothing[:])
			}
		}()
	}
	all.Wait()
}
