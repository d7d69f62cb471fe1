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
		return inUse(t, "cannot be looked at ("+reason(err)+")", "List the block devices of this machine: lsblk")
	}
	k := newKernel()
	if k.mounts == nil {
		return inUse(t, "cannot be checked for mounts, as /proc/self/mountinfo cannot be read", "")
	}
	for _, m := range k.mounts {
		if m.major == major && m.minor == minor || sameDevice(m.source, major, minor) {
			return inUse(t, "is mounted at "+m.point, "Unmount it first, if its data may go: umount "+m.point)
		}
	}
	if swapped(t.Path, major, minor) {
		return inUse(t, "is swap space in use", "Switch it off first, if it may go: swapoff "+t.Path)
	}
	dir := fmt.Sprintf("%s/dev/block/%d:%d", k.sys, major, minor)
	if parts, _ := filepath.Glob(dir + "/*/partition"); len(parts) > 0 {
		return inUse(t, fmt.Sprintf("has partitions (%s)", strings.Join(parents(parts), ", ")), "Name an empty partition, or remove them if their data may go: wipefs -a "+t.Path)
	}
	if holders, _ := filepath.Glob(dir + "/holders/*"); len(holders) > 0 {
		return inUse(t, "is part of "+filepath.Base(holders[0]), "Take it out there first: lsblk "+t.Path)
	}
	if k.text(dir+"/ro") == "1" {
		return inUse(t, "is read-only", "Choose workloads that only read.")
	}
	fd, err := unix.Open(t.Path, unix.O_RDWR|unix.O_EXCL|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.EBUSY):
		return inUse(t, "is in use by the kernel ("+err.Error()+")", "Find out by what: lsblk "+t.Path+"; fuser -v "+t.Path)
	case err != nil:
		return inUse(t, "cannot be opened for writing ("+err.Error()+")", "Run as a user who may write it, often root.")
	}
	return unix.Close(fd)
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
		return inUse(t, "is swap space in use", "Switch it off first, if it may go: swapoff "+t.Path)
	}
	loops, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, l := range loops {
		backing, err := os.ReadFile(l)
		if err != nil {
			continue
		}
		if other, err := os.Stat(strings.TrimSpace(string(backing))); err == nil && os.SameFile(info, other) {
			loop := filepath.Base(filepath.Dir(filepath.Dir(l)))
			return inUse(t, "is the content of /dev/"+loop, "Name /dev/"+loop+", or detach it first: losetup -d /dev/"+loop)
		}
	}
	f, err := os.OpenFile(t.Path, os.O_WRONLY, 0)
	if err != nil {
		return writeRefusal(t.Name, err)
	}
	return f.Close()
}
