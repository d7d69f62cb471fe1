package volume

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Accepting O_DIRECT does not guarantee direct I/O: ext4 with data=journal takes the flag and still
// uses the page cache, ZFS before 2.3 answers from its own cache, and an overlay behaves like the
// filesystem below it. So after a read we look for evidence that it was served from a cache: pages in
// the page cache, hits in the ZFS cache, or bytes missing from the device's counters.

const (
	// bypassSize is how much is read, in bytes; bypassBlock is the size of one I/O.
	bypassSize  = 1 << 20
	bypassBlock = 64 << 10
	// bypassDrop is how much is evicted from the page cache before: a page of the largest kind reaches
	// beyond what is read, and stays if it lies only partly in the range.
	bypassDrop = 16 << 20
	// servedLeast is the minimum share of the data read (twice) that the device must have counted.
	servedLeast = 0.5
)

// pageCached lists the local filesystems that have no single device and keep file data in the page
// cache and nowhere else, so that its pages are proof enough.
var pageCached = map[string]bool{"overlay": true, "btrfs": true, "bcachefs": true}

// bypassProbe finds out whether an accepted O_DIRECT is direct.
type bypassProbe struct {
	clock env.Clock
	// arcstats is the file with the counters of ZFS's cache (ARC).
	arcstats string
	// again is how long it waits before it reads again because ZFS counted nothing.
	again time.Duration
	// idle is the least time for which it counts what other programs read from ZFS.
	idle time.Duration
}

var bypass = bypassProbe{clock: system, arcstats: "/proc/spl/kstat/zfs/arcstats", again: time.Second, idle: 200 * time.Millisecond}

// probe finds out whether reads through direct, which was opened with O_DIRECT, bypass this machine's
// caches, and records what it saw, or why it could see nothing. It only reads. own means that Loadline
// created and wrote the file, so that it has no holes, whose reads a device does not count.
func (p bypassProbe) probe(s *model.Storage, direct *os.File, size int64, own bool) {
	if s.Bypassed != nil || s.Memory || s.Networked() || s.Userspace() && s.Remote() {
		return // known already, judged as what it is, or without any evidence on this machine
	}
	if size = min(size, bypassSize) / bypassBlock * bypassBlock; size == 0 {
		s.BypassDetail = "it is smaller than the " + units.FormatSize(bypassBlock) + " that the probe needs"
		return
	}
	file := &probed{File: direct, size: size, overlay: s.Filesystem == "overlay"}
	if err := file.drop(own); err != nil {
		s.BypassDetail = "reading it failed: " + env.Reason(err)
		return
	}
	if s.OnZFS() {
		p.probeZFS(s, file)
		return
	}
	cached, known := file.resident()
	counts := deviceReads(s.Device)
	if err := file.readTwice(); err != nil {
		s.BypassDetail = "reading it failed: " + env.Reason(err)
		return
	}
	served := deviceReads(s.Device) - counts
	after, _ := file.resident()
	switch enough := float64(served) >= servedLeast*float64(2*size); {
	case known && after-cached > size/2:
		setBypass(s, false, fmt.Sprintf("%s of the %s that were read past the page cache are in it", units.FormatSize(after), units.FormatSize(size)))
	case own && counts > 0 && !enough:
		setBypass(s, false, fmt.Sprintf("%s counted %s when %s were read past the page cache", s.Device, units.FormatSize(served), units.FormatSize(2*size)))
	case s.Userspace():
		// The rule buffered says that any process may cache. Reading ahead for the first of the two reads is as much as reading twice.
	case enough || known && after == 0 && (!s.Remote() || pageCached[s.Filesystem]):
		setBypass(s, true, "")
	default:
		s.BypassDetail = unseen(s, known, after)
	}
}

// unseen is a clause that says why neither the page cache nor a device showed whether reads are direct.
func unseen(s *model.Storage, known bool, cached int64) string {
	counter := s.Device + " did not count them"
	if s.Device == "" {
		counter = "no single device counts what reaches it"
	}
	switch {
	case !known:
		return "the kernel does not tell this user how much of it is in the page cache, and " + counter
	case cached > 0:
		return units.FormatSize(cached) + " of what was read stay in the page cache, and " + counter
	}
	return s.Filesystem + " may have a cache of its own, and " + counter
}

func setBypass(s *model.Storage, bypassed bool, how string) {
	s.Bypassed, s.BypassDetail = &bypassed, how
}

// probed is a file opened with O_DIRECT, whose beginning is read.
type probed struct {
	*os.File
	size int64
	// overlay is set for a file of an overlay, whose pages belong to the file below.
	overlay bool
}

// drop evicts the beginning from the page cache, as fio does before it measures. Somebody else's file
// may have been written a moment ago: reading it directly first writes it back, because dirty pages
// stay.
func (f *probed) drop(own bool) error {
	if !own {
		if err := f.read(1); err != nil {
			return err
		}
	}
	_ = unix.Fadvise(int(f.Fd()), 0, bypassDrop, unix.FADV_DONTNEED)
	return nil
}

func (f *probed) readTwice() error { return f.read(2) }

// read reads the beginning so many times.
func (f *probed) read(times int) error {
	return f.withBuffer(bypassBlock, func(buffer []byte) error {
		for range times {
			for at := int64(0); at < f.size; at += bypassBlock {
				if n, err := unix.Pread(int(f.Fd()), buffer, at); err != nil {
					return err
				} else if n != bypassBlock {
					return io.ErrUnexpectedEOF
				}
			}
		}
		return nil
	})
}

// withBuffer calls do with a buffer that direct I/O accepts.
func (f *probed) withBuffer(bytes int, do func([]byte) error) error {
	buffer, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	defer unix.Munmap(buffer)
	return do(buffer)
}

// writeOwn fills the beginning of a file that Loadline created with random data, bypassing the page
// cache.
func writeOwn(direct *os.File, size int64) error {
	buffer, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	defer unix.Munmap(buffer)
	if _, err := rand.Read(buffer); err != nil {
		return err
	}
	if _, err := direct.WriteAt(buffer, 0); err != nil {
		return err
	}
	return direct.Sync()
}

// resident counts the bytes of the beginning that are in the page cache. Linux before 6.5 has no
// cachestat, and that of an overlay looks at the file above, which never has pages; mincore looks at
// the right one, but answers only callers who may write the file.
func (f *probed) resident() (bytes int64, known bool) {
	// cachestat(2): struct cachestat_range, struct cachestat.
	span, stat := [2]uint64{0, uint64(f.size)}, [5]uint64{}
	page := int64(os.Getpagesize())
	if !f.overlay {
		_, _, errno := unix.Syscall6(unix.SYS_CACHESTAT, f.Fd(), uintptr(unsafe.Pointer(&span)), uintptr(unsafe.Pointer(&stat)), 0, 0, 0)
		if errno == 0 {
			return int64(stat[0]) * page, true
		}
	}
	if unix.Faccessat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.W_OK, unix.AT_EACCESS) != nil {
		return 0, false
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, int(f.size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return 0, false
	}
	defer unix.Munmap(memory)
	pages := make([]byte, (f.size+page-1)/page)
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&memory[0])), uintptr(f.size), uintptr(unsafe.Pointer(&pages[0]))); errno != 0 {
		return 0, false
	}
	for _, p := range pages {
		if p&1 != 0 {
			bytes += page
		}
	}
	return bytes, true
}

// deviceReads returns the number of bytes read according to the device's statistics; 0 if it keeps
// none.
func deviceReads(device string) int64 {
	files := os.DirFS("/")
	if device == "" || !procfs.Accounts(files, device) {
		return 0
	}
	c, _ := procfs.BlockCounters(files, device)
	return int64(c.ReadBytes)
}
