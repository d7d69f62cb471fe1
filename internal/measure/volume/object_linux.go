package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// deviceState is what must not change while a device is held; zero for files.
type deviceState struct {
	number uint64
	size   uint64
	// sequence is the kernel's sequence number of the disk (BLKGETDISKSEQ, Linux 5.15), 0 if it has
	// none.
	sequence uint64
}

func (s deviceState) difference(now deviceState) string {
	switch {
	case now.size == 0:
		return "went away"
	case now.size != s.size:
		return fmt.Sprintf("changed its size from %s to %s", units.FormatSize(int64(s.size)), units.FormatSize(int64(now.size)))
	}
	return "was replaced by another device"
}

// lookAtDevice reads the state of an open device.
func lookAtDevice(f *os.File) (s deviceState, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return s, err
	}
	s.number = uint64(st.Rdev)
	if s.size, err = ioctl64(f, unix.BLKGETSIZE64); err != nil {
		return s, err
	}
	s.sequence, _ = ioctl64(f, unix.BLKGETDISKSEQ)
	return s, nil
}

// openTarget opens an existing target. For writing, a device is opened with O_EXCL, and the lock is
// taken that keeps udev and other programs away (systemd's "Locking Block Device Access") and marks
// the descriptor as ours.
func openTarget(t model.Target, write bool) (*os.File, error) {
	flags := os.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK
	switch {
	case write && t.Kind == model.BlockDevice:
		// Check the kernel's own uses first: that error says more than EBUSY from open would.
		major, minor, err := deviceNumber(t.Path)
		if err != nil {
			return nil, inUse(t, "cannot be looked at ("+env.Reason(err)+")", "list the block devices of this machine: lsblk")
		}
		if err := guardKernel(t, major, minor); err != nil {
			return nil, err
		}
		flags = os.O_RDWR | os.O_EXCL | unix.O_NOFOLLOW | unix.O_NONBLOCK
	case write:
		flags = os.O_RDWR | unix.O_NOFOLLOW | unix.O_NONBLOCK
	}
	f, err := openBriefly(t.Path, flags)
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, inUse(t, "was replaced by a symbolic link", "look at it: ls -l "+safetext.ShellWord(t.Path))
	case errors.Is(err, unix.EBUSY):
		return nil, inUse(t, "is in use by the kernel, or by a program that holds it exclusively ("+unix.EBUSY.Error()+")",
			"find out by what: lsblk "+safetext.ShellWord(t.Path)+"; fuser -v "+safetext.ShellWord(t.Path))
	case err != nil && write && t.Kind == model.BlockDevice:
		return nil, inUse(t, "cannot be opened for writing ("+env.Reason(err)+")", "run as a user who may write it, often root")
	case err != nil && write:
		return nil, writeRefusal(t.Name, err)
	case err != nil:
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be read: %s", t.Name, env.Reason(err)),
			"run as a user who may read it (often root), or name another target")
	}
	if err := checkKind(t, f); err != nil {
		_ = f.Close()
		return nil, err
	}
	if write {
		if err := lockTarget(t, f); err != nil {
			_ = f.Close()
			return nil, err
		}
	}
	return f, nil
}

// checkKind refuses an object that has become another kind since the target was parsed.
func checkKind(t model.Target, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return inUse(t, "cannot be looked at ("+env.Reason(err)+")", "")
	}
	want := fs.FileMode(0)
	if t.Kind == model.BlockDevice {
		want = fs.ModeDevice
	}
	if info.Mode().Type() != want {
		return inUse(t, "was replaced by another "+kindOf(info), "look at it: ls -l "+safetext.ShellWord(t.Path))
	}
	return nil
}

// brief is how long to wait for a temporary user of the target to finish: udev opens a device briefly
// whenever a writer has closed it.
const brief = 3 * time.Second

// briefly retries until success, an error other than EBUSY or EAGAIN, or the end of that time.
func briefly(try func() error) error {
	for end := system.Now().Add(brief); ; system.Sleep(50 * time.Millisecond) {
		err := try()
		if err == nil || !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.EAGAIN) || system.Now().After(end) {
			return err
		}
	}
}

func openBriefly(path string, flags int) (f *os.File, err error) {
	err = briefly(func() error {
		f, err = os.OpenFile(path, flags, 0)
		return err
	})
	return f, err
}

// lockTarget takes the locks that other programs would take, and those that keep them away.
func lockTarget(t model.Target, f *os.File) error {
	err := briefly(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EAGAIN) {
		return inUse(t, "is locked by another process", "find out by which: lslocks; fuser -v "+safetext.ShellWord(t.Path))
	}
	// Any other error means that this filesystem does not support such locks.
	if err := guardLocks(t, int(f.Fd())); err != nil || t.Kind != model.File {
		return err
	}
	if err := guardFile(t, f); err != nil {
		return err
	}
	// A write lease is granted only while no one else has the file open (fcntl(2)); any error other
	// than EAGAIN means that leases are not available on this filesystem or to this user.
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK)
	if errors.Is(err, unix.EAGAIN) {
		return inUse(t, "is open in another process", "find out in which: fuser -v "+safetext.ShellWord(t.Path))
	}
	if err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
		return err
	}
	return nil
}

// ioctl64 calls an ioctl that returns a 64-bit number.
func ioctl64(f *os.File, request uintptr) (n uint64, err error) {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(&n))); errno != 0 {
		return 0, errno
	}
	return n, nil
}
