package open

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/load/runqueue"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// file does I/O on a file or block device through the kernel's native asynchronous interface
// (io_submit(2)), which every container allows. If the kernel blocks in a submission, as without
// direct I/O, later I/Os become late, and that is counted.
type file struct {
	fd      *os.File
	path    string // for messages
	context uintptr
	memory  []byte
	block   int64
	control []iocb
	events  []ioEvent
}

// iocb and ioEvent have the layout of linux/aio_abi.h on little-endian machines.
type iocb struct {
	data   uint64
	_      uint32 // key
	_      uint32 // flags of this I/O
	opcode uint16
	_      int16 // priority
	fd     uint32
	buf    uint64
	bytes  uint64
	offset int64
	_      uint64 // reserved
	_      uint32 // flags
	_      uint32 // file descriptor to notify
}

type ioEvent struct {
	data, obj   uint64
	res, second int64
}

const (
	opRead  = 0
	opWrite = 1
)

// openFile opens a volume's file or device.
func openFile(v model.Volume, w model.Workload) (device, error) {
	flags := os.O_RDONLY
	if w.Writes() {
		flags = os.O_RDWR
	}
	if v.Direct {
		flags |= unix.O_DIRECT
	}
	fd, err := os.OpenFile(v.Reach(), flags, 0)
	if err != nil {
		return nil, model.BrokenError(fmt.Sprintf("the volume cannot be opened: %v", err), "")
	}
	f := &file{fd: fd, path: v.Path, block: w.BlockSize, control: make([]iocb, w.Depth), events: make([]ioEvent, w.Depth)}
	// Page-aligned memory outside Go's heap: direct I/O needs the alignment, and the kernel writes
	// into it without Go's knowledge.
	f.memory, err = unix.Mmap(-1, 0, w.Depth*int(w.BlockSize), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		fd.Close()
		return nil, model.BrokenError(fmt.Sprintf("no memory for %d buffers of %s: %v", w.Depth, units.FormatBlock(w.BlockSize), err), "")
	}
	if _, _, errno := unix.Syscall(unix.SYS_IO_SETUP, uintptr(w.Depth), uintptr(unsafe.Pointer(&f.context)), 0); errno != 0 {
		f.close(false)
		return nil, model.BrokenError(fmt.Sprintf("the kernel refuses asynchronous I/O (io_setup): %v", errno), "raise /proc/sys/fs/aio-max-nr")
	}
	if w.Writes() {
		randomize(f.memory)
	}
	return f, nil
}

// buffer returns the memory of a slot.
func (f *file) buffer(slot int) []byte {
	return f.memory[int64(slot)*f.block : int64(slot+1)*f.block]
}

func (f *file) submit(slot int, write bool, offset int64) error {
	buf := f.buffer(slot)
	cb := &f.control[slot]
	*cb = iocb{data: uint64(slot), opcode: opRead, fd: uint32(f.fd.Fd()), buf: uint64(uintptr(unsafe.Pointer(&buf[0]))), bytes: uint64(f.block), offset: offset}
	if write {
		scramble(buf)
		cb.opcode = opWrite
	}
	for {
		one := [1]*iocb{cb}
		n, _, errno := unix.Syscall(unix.SYS_IO_SUBMIT, f.context, 1, uintptr(unsafe.Pointer(&one)))
		runtime.KeepAlive(cb)
		switch {
		case errno == syscall.EINTR || errno == syscall.EAGAIN:
			continue
		case errno != 0:
			return f.words(write, offset, errno)
		case n == 1:
			return nil
		}
	}
}

func (f *file) reap(wait time.Duration, ended func(int, error)) error {
	limit := unix.NsecToTimespec(wait.Nanoseconds())
	n, _, errno := unix.Syscall6(unix.SYS_IO_GETEVENTS, f.context, 1, uintptr(len(f.events)),
		uintptr(unsafe.Pointer(&f.events[0])), uintptr(unsafe.Pointer(&limit)), 0)
	if errno != 0 && errno != syscall.EINTR {
		return fmt.Errorf("the kernel's asynchronous I/O failed (io_getevents): %w", errno)
	}
	if errno == syscall.EINTR {
		return nil
	}
	for _, e := range f.events[:n] {
		cb := &f.control[e.data]
		var err error
		switch {
		case e.res < 0:
			err = f.words(cb.opcode == opWrite, cb.offset, syscall.Errno(-e.res))
		case e.res != f.block:
			err = f.words(cb.opcode == opWrite, cb.offset, fmt.Errorf("only %d of %d bytes were moved", e.res, f.block))
		}
		ended(int(e.data), err)
	}
	return nil
}

// words returns an error that says which I/O failed and why.
func (f *file) words(write bool, offset int64, err error) error {
	what := "read"
	if write {
		what = "write"
	}
	return fmt.Errorf("%s of %d bytes at %d of %s: %w", what, f.block, offset, f.path, err)
}

// close releases everything, except memory that the kernel may still write into.
func (f *file) close(idle bool) {
	if f.context != 0 && idle {
		_, _, _ = unix.Syscall(unix.SYS_IO_DESTROY, f.context, 0, 0)
	}
	if idle || f.context == 0 {
		_ = unix.Munmap(f.memory)
	}
	_ = f.fd.Close()
}

// preciseTimers makes the kernel wake this thread on time instead of up to 50 µs late, or restores
// the default (0, prctl(2)).
func preciseTimers(yes bool) {
	slack := uintptr(0)
	if yes {
		slack = 1
	}
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, slack, 0, 0, 0)
}

// threadCPU returns the CPU time of this thread in seconds.
func threadCPU() (user, system float64) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &r); err != nil {
		return 0, 0
	}
	return float64(r.Utime.Nano()) / 1e9, float64(r.Stime.Nano()) / 1e9
}

// threadWaits begins to count how long this thread waits for a processor; waited returns that in
// seconds, nil if the kernel does not say. Both must be called by the thread itself.
func threadWaits() (waited func() *float64) {
	const own = "/proc/thread-self/schedstat"
	before, known := runqueue.Read(own)
	return func() *float64 {
		now, ok := runqueue.Read(own)
		if !known || !ok || now.Ran == 0 {
			return nil
		}
		w := now.Waited - before.Waited
		return &w
	}
}
