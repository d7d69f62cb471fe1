package tracepoint

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Options are the parameters of a Reader.
type Options struct {
	// Devices are the numbers (MKDEV) of the devices to follow, with their partitions; empty means
	// all.
	Devices []uint32
	// CgroupOf returns the cgroup number of a process that begins an I/O; sampled is the number that
	// the kernel has put into the event, 0 if it did not.
	CgroupOf func(pid uint32, sampled uint64) uint64
}

// Reader follows the block events of all processors. It is safe for concurrent use.
type Reader struct {
	options Options
	files   *tracefs
	events  []*openEvent
	cpus    []*processor
	// cgroups is true if the samples contain a cgroup.
	cgroups bool
	bios    bool

	mu      sync.Mutex
	pairing *pairing
	pending []event
	// until is the time of the newest event taken from a ring.
	until uint64
	// records is the number of records read, lost the number of events without one.
	records, lost uint64
	scratch       []byte
	stop          chan struct{}
	stopped       sync.WaitGroup
}

// openEvent is an event that is open on all processors.
type openEvent struct {
	source
	decoder
	fds []int
}

// maxFilteredDevices is the maximum number of devices for which the kernel filters events. With
// more, all events are read.
const maxFilteredDevices = 16

// Open begins to follow the block events. No device is followed before Watch.
func Open(o Options) (_ *Reader, err error) {
	r := &Reader{options: o, pairing: newPairing(), stop: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	if r.files, err = openTracefs(); err != nil {
		return nil, err
	}
	numbers, err := onlineProcessors()
	if err != nil {
		return nil, err
	}
	if err := r.openRings(numbers); err != nil {
		return nil, err
	}
	for _, s := range sources {
		if s.bio || s.kind == started && r.hasKind(started) {
			continue
		}
		if err := r.follow(s); err != nil {
			return nil, err
		}
	}
	r.pairing.byInsertion = !r.hasEvent("block_io_start")
	r.stopped.Add(1)
	go r.read()
	return r, nil
}

func (r *Reader) hasKind(k kind) bool {
	return slices.ContainsFunc(r.events, func(o *openEvent) bool { return o.source.kind == k })
}

func (r *Reader) hasEvent(name string) bool {
	return slices.ContainsFunc(r.events, func(o *openEvent) bool { return o.name == name })
}

// onlineProcessors returns the numbers of the processors that are online.
func onlineProcessors() (list []int, err error) {
	text, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(strings.TrimSpace(string(text)), ",") {
		low, high, ranged := strings.Cut(part, "-")
		first, err := strconv.Atoi(low)
		last := first
		if err == nil && ranged {
			last, err = strconv.Atoi(high)
		}
		if err != nil {
			return nil, fmt.Errorf("the processors of this machine are %q", text)
		}
		for n := first; n <= last; n++ {
			list = append(list, n)
		}
	}
	return list, nil
}

// follow opens an event on all processors. An event that this kernel does not have is left out.
func (r *Reader) follow(s source) error {
	f, err := r.files.format("block/" + s.name)
	if errors.Is(err, os.ErrNotExist) && !s.required {
		return nil
	}
	if err != nil {
		return err
	}
	o := &openEvent{source: s}
	if o.decoder, err = f.decoder(s.kind); err != nil {
		return fmt.Errorf("the kernel's event %s cannot be read: %w", s.name, err)
	}
	r.events = append(r.events, o)
	filter := filterOf(r.options.Devices)
	for _, c := range r.cpus {
		fd, err := c.open(uint64(f.id), r.cgroups, filter)
		if err != nil {
			return err
		}
		o.fds = append(o.fds, fd)
	}
	return nil
}

// filterOf returns the filter that passes only these devices; empty for all.
func filterOf(devices []uint32) string {
	if len(devices) > maxFilteredDevices {
		return ""
	}
	var parts []string
	for _, d := range devices {
		parts = append(parts, fmt.Sprintf("dev == %d", d))
	}
	return strings.Join(parts, " || ")
}

// Limitations returns sentences about what this kernel cannot tell.
func (r *Reader) Limitations() (list []string) {
	if !r.hasEvent("block_io_start") {
		list = append(list, "Linux before 6.5 does not say who made a request that no scheduler got: such an I/O belongs to the process that gave it to the driver, and the wait before that is not known")
	}
	return list
}

// Watch begins to follow a device. queues is the number of its request queues, 0 for a device without
// requests of its own; parts are the numbers of its partitions.
func (r *Reader) Watch(number uint32, queues int, parts []uint32) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if queues == 0 && !r.bios {
		r.bios = true
		for _, s := range sources {
			if !s.bio {
				continue
			}
			if err := r.follow(s); err != nil {
				return err
			}
		}
	}
	r.pairing.watch(number, queues, parts)
	return nil
}

// read drains the rings until the Reader is closed.
func (r *Reader) read() {
	defer r.stopped.Done()
	polled := make([]unix.PollFd, len(r.cpus))
	for i, c := range r.cpus {
		polled[i] = unix.PollFd{Fd: int32(c.ring.fd), Events: unix.POLLIN}
	}
	const pause = 20 // ms; nothing waits longer than this in a ring that fills slowly
	for {
		select {
		case <-r.stop:
			return
		default:
		}
		_, _ = unix.Poll(polled, pause)
		r.mu.Lock()
		r.round()
		r.mu.Unlock()
	}
}

// round processes what is in the rings. Events from before the end of the previous drain are now
// complete in all rings, so they are sorted and followed.
func (r *Reader) round() {
	cut := r.until
	r.drain()
	slices.SortStableFunc(r.pending, func(a, b event) int { return cmp.Compare(a.time, b.time) })
	n, _ := slices.BinarySearchFunc(r.pending, cut+1, func(e event, t uint64) int { return cmp.Compare(e.time, t) })
	for i := range n {
		e := &r.pending[i]
		if e.kind == started || e.kind == bioQueued || e.kind == issued {
			e.task.group = r.options.CgroupOf(e.task.pid, e.task.group)
		}
		r.pairing.handle(e)
	}
	r.pending = append(r.pending[:0], r.pending[n:]...)
}

// drain reads the records in the rings.
func (r *Reader) drain() {
	for _, c := range r.cpus {
		c.drain(&r.scratch, r.take)
	}
}

// take keeps a record until it is processed.
func (r *Reader) take(kind uint32, body []byte) {
	switch kind {
	case typeLost:
		r.pairing.lost() // countLost counts them
	case typeSample:
		r.records++
		s, ok := readSample(body, r.cgroups)
		if !ok || len(s.raw) < 2 {
			return
		}
		id := binary.NativeEndian.Uint16(s.raw) // common_type comes first in every record
		for _, o := range r.events {
			if o.id != id {
				continue
			}
			e := event{time: s.time, task: task{pid: s.pid, group: s.group}}
			o.decode(s.raw, &e)
			r.until = max(r.until, e.time)
			r.pending = append(r.pending, e)
			return
		}
	}
}

// countLost counts the events without a record: those that did not fit into a ring, and those that
// the kernel did not write.
func (r *Reader) countLost() {
	var had uint64
	for _, o := range r.events {
		for _, fd := range o.fds {
			had += eventCount(fd)
		}
	}
	r.drain()
	if had > r.records+r.lost {
		r.lost = had - r.records
		r.pairing.lost()
	}
}

// Counts returns what was counted so far for all watched devices, by their numbers, and the number of
// events of any device without a record: those that did not fit into a ring, or that the kernel did
// not write.
func (r *Reader) Counts() (devices map[uint32]Device, lost uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.countLost()
	r.round()
	devices = map[uint32]Device{}
	for _, d := range r.pairing.devices {
		devices[d.number] = r.pairing.deviceCounts(d.number)
	}
	return devices, r.lost
}

// Take passes to yield the sums since the last call, and deletes them.
func (r *Reader) Take(yield func(Row, *Sum)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.countLost()
	r.pairing.take(yield)
}

// Close stops following.
func (r *Reader) Close() error {
	close(r.stop)
	r.stopped.Wait()
	var errs []error
	for _, o := range r.events {
		for _, fd := range o.fds {
			errs = append(errs, unix.Close(fd))
		}
	}
	for _, c := range r.cpus {
		errs = append(errs, c.close())
	}
	if r.files != nil {
		r.files.close()
	}
	return errors.Join(errs...)
}
