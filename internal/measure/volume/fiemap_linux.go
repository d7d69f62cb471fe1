package volume

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/proof"
	"github.com/loadline/loadline/internal/model/units"
)

// Definitions from the kernel's include/uapi/linux/fiemap.h.
const (
	fiemapIoctl = 0xc020660b // FS_IOC_FIEMAP

	fiemapSync = 1

	extentLast      = 0x001
	extentUnknown   = 0x002
	extentDelalloc  = 0x004
	extentEncoded   = 0x008
	extentInline    = 0x200
	extentTail      = 0x400
	extentUnwritten = 0x800

	extentsPerPage = 512
)

type fiemapExtent struct {
	Logical, Physical, Length uint64
	_                         [2]uint64
	Flags                     uint32
	_                         [3]uint32
}

type fiemapPage struct {
	Start, Length        uint64
	Flags, Mapped, Count uint32
	_                    uint32
	Extents              [extentsPerPage]fiemapExtent
}

// ProveFile checks with the filesystem's extent map (FIEMAP) whether the first size bytes of a file
// were all written. Holes, allocated but unwritten extents, extents without a location yet, and data
// inside the inode count as unwritten. Method is "none" if the filesystem has no such map; read the
// data back then.
func ProveFile(path string, size int64) (model.Proof, error) {
	f, err := os.Open(path)
	if err != nil {
		return model.Proof{}, model.BrokenError(fmt.Sprintf("%s cannot be proved to be written: %s", path, env.Reason(err)), "")
	}
	defer f.Close()
	return proveOpen(f, path, size)
}

// Prove is ProveFile for the held object.
func (o *Object) Prove(size int64) (model.Proof, error) {
	return proveOpen(o.File(), o.path, size)
}

// proveOpen reads the map of an open file; path is used in messages.
func proveOpen(f *os.File, path string, size int64) (model.Proof, error) {
	size = max(0, size)
	var tally extentTally
	page := new(fiemapPage)
	for at := uint64(0); at < uint64(size); {
		*page = fiemapPage{Start: at, Length: uint64(size) - at, Flags: fiemapSync, Count: extentsPerPage}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), fiemapIoctl, uintptr(unsafe.Pointer(page)))
		switch {
		case errno == unix.EINTR:
			continue
		case errors.Is(errno, unix.EOPNOTSUPP), errno == unix.ENOTTY, errno == unix.ENOSYS, errno == unix.EINVAL, errno == unix.EBADR:
			return model.Proof{Method: proof.None, Detail: "this filesystem does not map its files (FIEMAP: " + errno.Error() + ")"}, nil
		case errno != 0:
			return model.Proof{}, model.BrokenError(fmt.Sprintf("%s cannot be proved to be written: FIEMAP: %s", path, errno), "")
		}
		next, last := tally.add(page.Extents[:page.Mapped], at, uint64(size))
		if last || next == at {
			break
		}
		at = next
	}
	return tally.proof(size), nil
}

// extentTally sums the bytes covered by each type of extent.
type extentTally struct {
	written, unwritten, pending, inline, encoded uint64
}

// add counts extents clipped to [from, size) and returns where the next page begins and whether the
// file's last extent was seen.
func (t *extentTally) add(extents []fiemapExtent, from, size uint64) (next uint64, last bool) {
	next = from
	for _, e := range extents {
		start, end := max(e.Logical, next), min(e.Logical+e.Length, size)
		last = last || e.Flags&extentLast != 0
		if end <= start {
			continue
		}
		n := end - start
		switch {
		case e.Flags&extentUnwritten != 0:
			t.unwritten += n
		case e.Flags&(extentUnknown|extentDelalloc) != 0:
			t.pending += n
		case e.Flags&(extentInline|extentTail) != 0:
			t.inline += n
		default:
			t.written += n
			if e.Flags&extentEncoded != 0 {
				t.encoded += n
			}
		}
		next = end
	}
	return next, last || next >= size
}

func (t *extentTally) proof(size int64) model.Proof {
	holes := uint64(size) - t.written - t.unwritten - t.pending - t.inline
	p := model.Proof{Method: proof.FIEMAP, Checked: size, Unwritten: size - int64(t.written)}
	var found []string
	for _, part := range []struct {
		bytes uint64
		what  string
	}{
		{holes, "holes"}, {t.unwritten, "allocated but never written"}, {t.pending, "without a place on the device yet"},
		{t.inline, "inside the inode"}, {t.encoded, "compressed or encoded by the filesystem"},
	} {
		if part.bytes > 0 {
			found = append(found, units.FormatSize(int64(part.bytes))+" "+part.what)
		}
	}
	p.Detail = strings.Join(found, ", ")
	return p
}
