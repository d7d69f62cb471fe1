package tracepoint

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The sizes of a processor's ring, in bytes: the first one that the kernel grants is used. A user
// without CAP_IPC_LOCK may lock kernel.perf_event_mlock_kb for each processor, usually 516 KiB, which
// is one page more than the second size.
var ringSizes = []int{4 << 20, 512 << 10, 128 << 10, 32 << 10}

// maxRingMemory bounds the memory of all rings together, in bytes.
const maxRingMemory = 256 << 20

// processor is a processor with its ring.
type processor struct {
	number int
	ring   ring
}

// ring is what the kernel writes records into.
type ring struct {
	fd   int
	all  []byte
	page *unix.PerfEventMmapPage
	data []byte
}

// attributes returns the attributes of the event with this number. As we set no watermark, polling a
// ring returns when half of it is full.
func attributes(config uint64, cgroups bool) unix.PerfEventAttr {
	a := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_TRACEPOINT, Config: config, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Sample: 1,
		Sample_type: unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_RAW,
		Bits:        unix.PerfBitUseClockID | unix.PerfBitWatermark,
		Clockid:     unix.CLOCK_MONOTONIC,
	}
	if cgroups {
		a.Sample_type |= unix.PERF_SAMPLE_CGROUP
	}
	return a
}

// openRings creates a ring for each processor: that of an event that never happens, so that all
// others can come and go.
func (r *Reader) openRings(numbers []int) error {
	r.cgroups = true
	for _, n := range numbers {
		c := &processor{number: n}
		dummy := func() error {
			a := attributes(unix.PERF_COUNT_SW_DUMMY, r.cgroups)
			a.Type = unix.PERF_TYPE_SOFTWARE
			fd, err := unix.PerfEventOpen(&a, -1, n, -1, unix.PERF_FLAG_FD_CLOEXEC)
			c.ring.fd = fd
			return err
		}
		err := dummy()
		if errors.Is(err, unix.EINVAL) && r.cgroups && len(r.cpus) == 0 {
			r.cgroups = false // before Linux 5.7, or without CONFIG_CGROUP_PERF
			err = dummy()
		}
		if errors.Is(err, unix.ENODEV) {
			continue // it went offline in the meantime
		}
		if err != nil {
			return fmt.Errorf("perf_event_open on processor %d: %w", n, err)
		}
		r.cpus = append(r.cpus, c)
		if err := c.ring.mapPages(min(ringSizes[0], maxRingMemory/len(numbers))); err != nil {
			return fmt.Errorf("the kernel gives no memory for the events of processor %d (kernel.perf_event_mlock_kb): %w", n, err)
		}
	}
	return nil
}

// mapPages maps the largest ring that the kernel grants.
func (g *ring) mapPages(most int) (err error) {
	page := os.Getpagesize()
	for _, size := range ringSizes {
		if size > most && size > ringSizes[len(ringSizes)-1] {
			continue
		}
		size = max(size, page)
		if g.all, err = unix.Mmap(g.fd, 0, page+size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
			g.page, g.data = (*unix.PerfEventMmapPage)(unsafe.Pointer(&g.all[0])), g.all[page:]
			return nil
		}
	}
	return err
}

// open opens an event on the processor, whose records go into its ring.
func (c *processor) open(config uint64, cgroups bool, filter string) (int, error) {
	a := attributes(config, cgroups)
	a.Bits |= unix.PerfBitDisabled
	fd, err := unix.PerfEventOpen(&a, -1, c.number, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("perf_event_open on processor %d: %w", c.number, err)
	}
	err = unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_OUTPUT, c.ring.fd)
	if err == nil && filter != "" {
		// A kernel that does not filter sends all events: that costs more, but the result is the
		// same.
		_ = setFilter(fd, filter)
	}
	if err == nil {
		err = unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
	}
	if err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("the event on processor %d: %w", c.number, err)
	}
	return fd, nil
}

func setFilter(fd int, filter string) error {
	text, err := unix.BytePtrFromString(filter)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.PERF_EVENT_IOC_SET_FILTER, uintptr(unsafe.Pointer(text)))
	if errno != 0 {
		return errno
	}
	return nil
}

// drain reads the records in the ring.
func (c *processor) drain(scratch *[]byte, take func(uint32, []byte)) {
	g := &c.ring
	head := atomic.LoadUint64(&g.page.Data_head)
	tail := recordsOf(g.data, g.page.Data_tail, head, scratch, take)
	atomic.StoreUint64(&g.page.Data_tail, tail)
}

func (c *processor) close() error {
	var err error
	if c.ring.all != nil {
		err = unix.Munmap(c.ring.all)
	}
	return errors.Join(err, unix.Close(c.ring.fd))
}
