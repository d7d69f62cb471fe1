package volume

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
)

// The parts of a device can be in use other than through the device itself: the whole disk of a
// partition, the backing file of a loop device, the members of a RAID. Writing to one changes the
// other.

// below lists the files and devices that a device is built on, recursively, as far as this machine
// shows them.
func (k *kernel) below(number uint64, depth int) []inode {
	dir, err := filepath.EvalSymlinks(fmt.Sprintf("%s/dev/block/%d:%d", k.sys, unix.Major(number), unix.Minor(number)))
	if err != nil || depth > maxChain {
		return nil
	}
	var parts []inode
	add := func(n inode) {
		parts = append(parts, n)
		if n.rdev != 0 {
			parts = append(parts, k.below(n.rdev, depth+1)...)
		}
	}
	device := func(text string) {
		if major, minor, err := procfs.ParseDevice(text); err == nil {
			add(inode{rdev: unix.Mkdev(major, minor)})
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "partition")); err == nil {
		device(k.text(filepath.Join(filepath.Dir(dir), "dev")))
	}
	if k.text(filepath.Join(dir, "loop/backing_file")) != "" {
		if content, ok := loopContent(filepath.Base(dir)); ok {
			add(content)
		}
	}
	slaves, _ := filepath.Glob(filepath.Join(dir, "slaves/*/dev"))
	for _, slave := range slaves {
		device(k.text(slave))
	}
	return parts
}

// guardBelow refuses a device whose content is also reachable through another loop device.
func guardBelow(t model.Target, number uint64) error {
	k := newKernel()
	own := map[string]bool{loopName(k, number): true}
	parts := k.below(number, 0)
	for _, n := range parts {
		own[loopName(k, n.rdev)] = true
	}
	for _, n := range parts {
		for _, loop := range loopsOn(n) {
			if !own[loop] {
				return inUse(t, "shares its content with /dev/"+loop, "detach that first, if its data may go: losetup -d /dev/"+loop)
			}
		}
	}
	return nil
}

// loopName returns the kernel's name of a device; callers only care about loop devices.
func loopName(k *kernel, number uint64) string {
	dir, err := filepath.EvalSymlinks(fmt.Sprintf("%s/dev/block/%d:%d", k.sys, unix.Major(number), unix.Minor(number)))
	if err != nil {
		return ""
	}
	return filepath.Base(dir)
}
