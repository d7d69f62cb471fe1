package volume

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// guardUse refuses an object that is in use by the kernel or by another process.
func (o *Object) guardUse(who openers) error {
	var err error
	if o.target.Kind == model.BlockDevice {
		err = guardKernel(o.target, unix.Major(o.was.number), unix.Minor(o.was.number))
	} else {
		err = guardFile(o.target, o.File())
	}
	if err != nil {
		return err
	}
	return o.guardHolders(who)
}

// guardKernel refuses a device that the kernel uses, or a part of which it uses: mounted, swap,
// partitioned, held (LVM, RAID, LUKS), read-only or behind a loop device.
func guardKernel(t model.Target, major, minor uint32) error {
	k := newKernel()
	if k.mounts == nil {
		return inUse(t, "cannot be checked for mounts, as /proc/self/mountinfo cannot be read", "")
	}
	for _, m := range k.mounts {
		if m.Major == major && m.Minor == minor || sameDevice(m.Source, major, minor) {
			return inUse(t, "is mounted at "+m.Point, "unmount it first, if its data may go: umount "+safetext.ShellWord(m.Point))
		}
	}
	if swapped(t.Path, major, minor) {
		return inUse(t, "is swap space in use", "switch it off first, if it may go: swapoff "+safetext.ShellWord(t.Path))
	}
	dir := fmt.Sprintf("%s/dev/block/%d:%d", k.sys, major, minor)
	if parts, _ := filepath.Glob(dir + "/*/partition"); len(parts) > 0 {
		return inUse(t, fmt.Sprintf("has partitions (%s)", strings.Join(parents(parts), ", ")), "name an empty partition, or remove them if their data may go: wipefs -a "+safetext.ShellWord(t.Path))
	}
	if holders, _ := filepath.Glob(dir + "/holders/*"); len(holders) > 0 {
		return inUse(t, "is part of "+filepath.Base(holders[0]), "take it out there first: lsblk "+safetext.ShellWord(t.Path))
	}
	if k.text(dir+"/ro") == "1" {
		return inUse(t, "is read-only", readOnly)
	}
	number := unix.Mkdev(major, minor)
	if loop := loopOn(inode{rdev: number}); loop != "" {
		return attached(t, loop)
	}
	return guardBelow(t, number)
}

// parents turns ".../loop0p1/partition" into "loop0p1".
func parents(paths []string) []string {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = filepath.Base(filepath.Dir(p))
	}
	return names
}

// sameDevice reports whether path is a node of the device.
func sameDevice(path string, major, minor uint32) bool {
	if !strings.HasPrefix(path, "/dev/") {
		return false
	}
	ma, mi, err := deviceNumber(path)
	return err == nil && ma == major && mi == minor
}

// swapped reports whether /proc/swaps lists the device or, with number 0:0, the file.
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
		name = procfs.Unescape(name)
		if name == path || major != 0 && sameDevice(name, major, minor) {
			return true
		}
	}
	return false
}

// guardFile refuses a file that is swap or the backing file of a loop device.
func guardFile(t model.Target, f *os.File) error {
	if swapped(t.Path, 0, 0) {
		return inUse(t, "is swap space in use", "switch it off first, if it may go: swapoff "+safetext.ShellWord(t.Path))
	}
	if own, ok := inodeOf(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); ok {
		if loop := loopOn(own); loop != "" {
			return attached(t, loop)
		}
	}
	return nil
}

// guardLocks refuses a file that another process has locked, as virtual machines lock their images.
func guardLocks(t model.Target, fd int) error {
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(uintptr(fd), unix.F_OFD_GETLK, &lock); err != nil || lock.Type == unix.F_UNLCK {
		return nil // a filesystem without locks: nobody can hold one
	}
	return inUse(t, "is locked by another process", "find out by which: lslocks")
}

// loopOn finds a loop device that is backed by the file or device.
func loopOn(n inode) string {
	if loops := loopsOn(n); len(loops) > 0 {
		return loops[0]
	}
	return ""
}

// loopsOn returns all loop devices that are backed by the file or device. The kernel is asked first:
// a device node may be anywhere, and the file may have been unlinked. A user who may not open loop
// devices has to rely on the name that sysfs shows.
func loopsOn(n inode) (loops []string) {
	files, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, file := range files {
		loop := filepath.Base(filepath.Dir(filepath.Dir(file)))
		if content, ok := loopContent(loop); ok {
			if n.same(content) {
				loops = append(loops, loop)
			}
			continue
		}
		name, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if content, ok := inodeOf(strings.TrimSpace(string(name))); ok && n.same(content) {
			loops = append(loops, loop)
		}
	}
	return loops
}

// loopContent returns what the kernel reports as a loop device's backing file or device.
func loopContent(loop string) (n inode, ok bool) {
	f, err := os.OpenFile("/dev/"+loop, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return n, false
	}
	defer f.Close()
	info, err := unix.IoctlLoopGetStatus64(int(f.Fd()))
	if err != nil {
		return n, false
	}
	return inode{dev: info.Device, ino: info.Inode, rdev: info.Rdevice}, true
}

func attached(t model.Target, loop string) error {
	return inUse(t, "is the content of /dev/"+loop, "name /dev/"+loop+", or detach it first: losetup -d /dev/"+loop)
}
