package volume

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// The parts of a device can be in use other than through the device itself: the whole disk of a
// partition, the backing file of a loop device, the members of a RAID. Writing to one changes the
// other.

// part is a file or device that a device is built on.
type part struct {
	inode
	// whole is set if the device reaches all of it: a loop device does, wherever it begins and ends; a partition does not reach
	// the others of its disk.
	whole bool
}

// below lists the files and devices that a device is built on, recursively, as far as this machine
// shows them.
func (k *kernel) below(number uint64, depth int) []part {
	dir := k.directory(number)
	if dir == "" || depth > maxChain {
		return nil
	}
	var parts []part
	add := func(p part) {
		parts = append(parts, p)
		if p.rdev != 0 {
			parts = append(parts, k.below(p.rdev, depth+1)...)
		}
	}
	device := func(text string) {
		if major, minor, err := procfs.ParseDevice(text); err == nil {
			add(part{inode: inode{rdev: unix.Mkdev(major, minor)}})
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "partition")); err == nil {
		device(k.text(filepath.Join(filepath.Dir(dir), "dev")))
	}
	if k.text(filepath.Join(dir, "loop/backing_file")) != "" {
		if content, ok := loopContent(filepath.Base(dir)); ok {
			add(part{content, true})
		}
	}
	slaves, _ := filepath.Glob(filepath.Join(dir, "slaves/*/dev"))
	for _, slave := range slaves {
		device(k.text(slave))
	}
	return parts
}

// directory is where sysfs describes a device; "" if it does not.
func (k *kernel) directory(number uint64) string {
	dir, err := filepath.EvalSymlinks(fmt.Sprintf("%s/dev/block/%d:%d", k.sys, unix.Major(number), unix.Minor(number)))
	if err != nil {
		return ""
	}
	return dir
}

// guardBelow refuses a device whose content is also in use through what it is built on: another loop device, a mount,
// swap space, or a device that holds it.
func guardBelow(t model.Target, number uint64) error {
	k := newKernel()
	own := map[string]bool{k.nameOf(number): true}
	parts := k.below(number, 0)
	for _, n := range parts {
		own[k.nameOf(n.rdev)] = true
	}
	for _, n := range parts {
		if err := guardLoops(t, n.inode, own); err != nil {
			return err
		}
		if n.rdev == 0 {
			continue
		}
		if err := k.guardShared(t, n.rdev); err != nil {
			return err
		}
		if err := k.guardHeld(t, n, own); err != nil {
			return err
		}
	}
	return nil
}

// guardLoops refuses a device whose content is that of a loop device on n, unless that is one of its own.
func guardLoops(t model.Target, n inode, own map[string]bool) error {
	for _, loop := range loopsOn(n) {
		if !own[loop] {
			return inUse(t, "shares its content with /dev/"+loop, "detach that first, if its data may go: losetup -d /dev/"+loop)
		}
	}
	return nil
}

// guardShared refuses a device whose content is that of another one which is mounted, or swap space.
func (k *kernel) guardShared(t model.Target, number uint64) error {
	name, major, minor := "/dev/"+k.nameOf(number), unix.Major(number), unix.Minor(number)
	for _, m := range k.mounts {
		if m.Major == major && m.Minor == minor || sameDevice(m.Source, major, minor) {
			return inUse(t, "shares its content with "+name+", which is mounted at "+m.Point, "unmount that first, if its data may go: umount "+safetext.ShellWord(m.Point))
		}
	}
	if swapped(name, major, minor) {
		return inUse(t, "shares its content with "+name+", which is swap space in use", "switch that off first, if it may go: swapoff "+safetext.ShellWord(name))
	}
	return nil
}

// guardHeld refuses a device that reaches all of another one, of which a partition is in use, or which another device holds.
func (k *kernel) guardHeld(t model.Target, n part, own map[string]bool) error {
	dir := k.directory(n.rdev)
	if !n.whole || dir == "" {
		return nil
	}
	devices := []string{dir}
	partitions, _ := filepath.Glob(dir + "/*/partition")
	for _, p := range partitions {
		partition := filepath.Dir(p)
		devices = append(devices, partition)
		major, minor, err := procfs.ParseDevice(k.text(filepath.Join(partition, "dev")))
		if err != nil {
			continue
		}
		number := unix.Mkdev(major, minor)
		if err := k.guardShared(t, number); err != nil {
			return err
		}
		if err := guardLoops(t, inode{rdev: number}, own); err != nil {
			return err
		}
	}
	for _, device := range devices {
		holders, _ := filepath.Glob(device + "/holders/*")
		for _, h := range holders {
			if holder := filepath.Base(h); !own[holder] {
				return inUse(t, "shares its content with /dev/"+filepath.Base(device)+", which is part of "+holder, "take that out there first: lsblk "+safetext.ShellWord("/dev/"+filepath.Base(device)))
			}
		}
	}
	return nil
}

// nameOf returns the kernel's name of a device; "" if it is not known.
func (k *kernel) nameOf(number uint64) string {
	if dir := k.directory(number); dir != "" {
		return filepath.Base(dir)
	}
	return ""
}
