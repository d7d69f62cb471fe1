package volume

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

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
	// servedLeast is the minimum share of the data read (twice) that the device must have counted.
	servedLeast = 0.5
	arcstats    = "/proc/spl/kstat/zfs/arcstats"
)

// probeBypass finds out whether reads through direct, which was opened with O_DIRECT, bypass this
// machine's caches, and records what it saw. It only reads. own means that Loadline created and wrote
// the file, so that it may be dropped from the page cache first and has no holes, whose reads a
// device does not count.
func probeBypass(s *model.Storage, direct *os.File, size int64, own bool) {
	size = min(size, bypassSize) / bypassBlock * bypassBlock
	if size == 0 || s.Remote() && s.Filesystem != "zfs" || s.Memory {
		return
	}
	if own {
		_ = unix.Fadvise(int(direct.Fd()), 0, 0, unix.FADV_DONTNEED)
	}
	cached, known := resident(direct, size)
	hits, hasARC := arcHits(s, 0)
	began, counts := system.Now(), deviceReads(s.Device)
	if !readTwice(direct, size) {
		return
	}
	took := system.Since(began)
	served := deviceReads(s.Device) - counts
	after, _ := resident(direct, size)
	switch reads := 2 * size / bypassBlock; {
	case known && after-cached > size/2:
		setBypass(s, false, fmt.Sprintf("%s of the %s that were read past the page cache are in it", units.FormatSize(after), units.FormatSize(size)))
	case hasARC:
		now, _ := arcHits(s, 0)
		// Other programs use the cache too: subtract the hits they cause in the same length of time.
		idle, _ := arcHits(s, took)
		if others := idle - now; now-hits-others >= reads/2 {
			setBypass(s, false, "the cache of ZFS (ARC) answered reads that asked for direct I/O")
		}
	case own && counts > 0 && float64(served) < servedLeast*float64(2*size):
		setBypass(s, false, fmt.Sprintf("%s counted %s when %s were read past the page cache", s.Device, units.FormatSize(served), units.FormatSize(2*size)))
	case float64(served) >= servedLeast*float64(2*size) || known && after == 0:
		setBypass(s, true, "")
	}
}

func setBypass(s *model.Storage, bypassed bool, how string) {
	s.Bypassed, s.BypassDetail = &bypassed, how
}

// readTwice reads the beginning of the file twice.
func readTwice(direct *os.File, size int64) bool {
	buffer, err := unix.Mmap(-1, 0, bypassBlock, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return false
	}
	defer unix.Munmap(buffer)
	for range 2 {
		for at := int64(0); at < size; at += bypassBlock {
			if n, err := unix.Pread(int(direct.Fd()), buffer, at); err != nil || n != bypassBlock {
				return false
			}
		}
	}
	return true
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

// resident counts the bytes at the beginning of a file that are in the page cache. Linux before 6.5
// has no cachestat, and its mincore only answers callers who may write the file.
func resident(f *os.File, size int64) (bytes int64, known bool) {
	// cachestat(2): struct cachestat_range, struct cachestat.
	span, stat := [2]uint64{0, uint64(size)}, [5]uint64{}
	_, _, errno := unix.Syscall6(unix.SYS_CACHESTAT, f.Fd(), uintptr(unsafe.Pointer(&span)), uintptr(unsafe.Pointer(&stat)), 0, 0, 0)
	page := int64(os.Getpagesize())
	if errno == 0 {
		return int64(stat[0]) * page, true
	}
	if unix.Faccessat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.W_OK, unix.AT_EACCESS) != nil {
		return 0, false
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return 0, false
	}
	defer unix.Munmap(memory)
	pages := make([]byte, (size+page-1)/page)
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&memory[0])), uintptr(size), uintptr(unsafe.Pointer(&pages[0]))); errno != 0 {
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
	dir := filepath.Join("/sys/class/block", device)
	if on, _ := os.ReadFile(filepath.Join(dir, "queue/iostats")); device == "" || strings.TrimSpace(string(on)) == "0" {
		return 0
	}
	text, _ := os.ReadFile(filepath.Join(dir, "stat"))
	fields := strings.Fields(string(text))
	if len(fields) < 3 {
		return 0
	}
	sectors, _ := strconv.ParseInt(fields[2], 10, 64)
	return sectors * 512
}

// arcHits waits, then returns the number of hits in the ZFS cache since the module was loaded.
func arcHits(s *model.Storage, wait time.Duration) (hits int64, known bool) {
	if s.Filesystem != "zfs" {
		return 0, false
	}
	system.Sleep(wait)
	text, err := os.ReadFile(arcstats)
	if err != nil {
		return 0, false
	}
	return hitsOf(string(text))
}

// hitsOf parses the line "hits  4  123" of a kstat file.
func hitsOf(text string) (hits int64, known bool) {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "hits" {
			n, err := strconv.ParseInt(f[2], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
