package volume

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// What a device is made of may be used past the device: the whole disk of a partition, the
// file of a loop device, the parts of a RAID. Writing to the one changes the other.

// below lists the files and devices that a device is made of, and those that they are
// made of, as far as this machine tells.
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
		if major, minor, err := parseDevice(text); err == nil {
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

// guardBelow refuses a device whose content is reached by another loop device as well.
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

// loopName is the kernel's name of a device; only that of a loop device matters.
func loopName(k *kernel, number uint64) string {
	dir, err := filepath.EvalSymlinks(fmt.Sprintf("%s/dev/block/%d:%d", k.sys, unix.Major(number), unix.Minor(number)))
	if err != nil {
		return ""
	}
	return filepath.Base(dir)
}
