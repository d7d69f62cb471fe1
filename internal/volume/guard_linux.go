package volume

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// guardDevice refuses a device that the kernel or a part of it uses: mounted,
// swap, partitioned, held (LVM, RAID, LUKS), read-only or opened exclusively.
func guardDevice(t model.Target) error {
	major, minor, err := deviceNumber(t.Path)
	if err != nil {
		return inUse(t, "cannot be looked at ("+reason(err)+")", "list the block devices of this machine: lsblk")
	}
	k := newKernel()
	if k.mounts == nil {
		return inUse(t, "cannot be checked for mounts, as /proc/self/mountinfo cannot be read", "")
	}
	for _, m := range k.mounts {
		if m.major == major && m.minor == minor || sameDevice(m.source, major, minor) {
			return inUse(t, "is mounted at "+m.point, "unmount it first, if its data may go: umount "+m.point)
		}
	}
	if swapped(t.Path, major, minor) {
		return inUse(t, "is swap space in use", "switch it off first, if it may go: swapoff "+t.Path)
	}
	dir := fmt.Sprintf("%s/dev/block/%d:%d", k.sys, major, minor)
	if parts, _ := filepath.Glob(dir + "/*/partition"); len(parts) > 0 {
		return inUse(t, fmt.Sprintf("has partitions (%s)", strings.Join(parents(parts), ", ")), "name an empty partition, or remove them if their data may go: wipefs -a "+t.Path)
	}
	if holders, _ := filepath.Glob(dir + "/holders/*"); len(holders) > 0 {
		return inUse(t, "is part of "+filepath.Base(holders[0]), "take it out there first: lsblk "+t.Path)
	}
	if k.text(dir+"/ro") == "1" {
		return inUse(t, "is read-only", "choose workloads that only read")
	}
	if loop := loopOn(func(backing string) bool { return sameDevice(backing, major, minor) }); loop != "" {
		return attached(t, loop)
	}
	fd, err := unix.Open(t.Path, unix.O_RDWR|unix.O_EXCL|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.EBUSY):
		return inUse(t, "is in use by the kernel ("+err.Error()+")", "find out by what: lsblk "+t.Path+"; fuser -v "+t.Path)
	case err != nil:
		return inUse(t, "cannot be opened for writing ("+err.Error()+")", "run as a user who may write it, often root")
	}
	defer unix.Close(fd)
	return guardLocks(t, fd)
}

// parents turns ".../loop0p1/partition" into "loop0p1".
func parents(paths []string) []string {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = filepath.Base(filepath.Dir(p))
	}
	return names
}

// sameDevice tells whether path is a node of the device.
func sameDevice(path string, major, minor uint32) bool {
	if !strings.HasPrefix(path, "/dev/") {
		return false
	}
	ma, mi, err := deviceNumber(path)
	return err == nil && ma == major && mi == minor
}

// swapped tells whether /proc/swaps lists the device or, with number 0:0, the file.
func swapped(path string, major, minor uint32) bool {
	f, err := os.Open("/proc/swaps")
	if err != nil {
		return false // a kernel without swap
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, _, _ := strings.Cut(lines.Text(), " ")
		name, _, _ = strings.Cut(name, "\t")
		name = unescape(name)
		if name == path || major != 0 && sameDevice(name, major, minor) {
			return true
		}
	}
	return false
}

// guardFile refuses a file that is swap or the content of a loop device.
func guardFile(t model.Target) error {
	info, err := os.Stat(t.Path)
	if err != nil {
		return inUse(t, "cannot be looked at ("+reason(err)+")", "")
	}
	if swapped(t.Path, 0, 0) {
		return inUse(t, "is swap space in use", "switch it off first, if it may go: swapoff "+t.Path)
	}
	loop := loopOn(func(backing string) bool {
		other, err := os.Stat(backing)
		return err == nil && os.SameFile(info, other)
	})
	if loop != "" {
		return attached(t, loop)
	}
	f, err := os.OpenFile(t.Path, os.O_WRONLY, 0)
	if err != nil {
		return writeRefusal(t.Name, err)
	}
	defer f.Close()
	if err := guardLocks(t, int(f.Fd())); err != nil {
		return err
	}
	// A write lease is granted only while nobody else has the file open
	// (fcntl(2)); any other failure means that this filesystem or user has none.
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK)
	if errors.Is(err, unix.EAGAIN) {
		return inUse(t, "is open in another process", "find out in which: fuser -v "+t.Path)
	}
	if err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
		return err
	}
	return nil
}

// guardLocks refuses what another process has locked, as virtual machines lock
// their images.
func guardLocks(t model.Target, fd int) error {
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(uintptr(fd), unix.F_OFD_GETLK, &lock); err != nil || lock.Type == unix.F_UNLCK {
		return nil // a filesystem without locks has none that could be held
	}
	return inUse(t, "is locked by another process", "find out by which: lslocks")
}

// loopOn finds a loop device whose backing file the given function recognises.
func loopOn(same func(backing string) bool) string {
	files, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, file := range files {
		backing, err := os.ReadFile(file)
		if err == nil && same(strings.TrimSpace(string(backing))) {
			return filepath.Base(filepath.Dir(filepath.Dir(file)))
		}
	}
	return ""
}

func attached(t model.Target, loop string) error {
	return inUse(t, "is the content of /dev/"+loop, "name /dev/"+loop+", or detach it first: losetup -d /dev/"+loop)
}
