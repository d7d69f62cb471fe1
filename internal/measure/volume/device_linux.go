package volume

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// probeDevice probes a block device.
func probeDevice(t model.Target) (model.Storage, error) {
	var s model.Storage
	major, minor, err := deviceNumber(t.Path)
	if err != nil {
		return s, model.RefusedError(fmt.Sprintf("%s cannot be probed: %s", t.Name, env.Reason(err)), "list the block devices of this machine: lsblk")
	}
	k := newKernel()
	k.describe(&s, k.chainOfDevice(major, minor, 0))
	dir := fmt.Sprintf("%s/dev/block/%d:%d", k.sys, major, minor)
	s.DeviceSize = k.number(dir+"/size") * 512 // of the partition, if it is one
	s.ReadOnly = k.text(dir+"/ro") == "1"
	if s.DeviceSize == 0 {
		return s, model.RefusedError(fmt.Sprintf("%s has no medium or is not set up: its size is 0", t.Name), "list the block devices of this machine: lsblk")
	}
	return s, probeDirect(&s, t)
}

// deviceNumber returns the major and minor number of the device node at path.
func deviceNumber(path string) (major, minor uint32, err error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, 0, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return 0, 0, fmt.Errorf("%s is not a block device", filepath.Base(path))
	}
	return unix.Major(uint64(st.Rdev)), unix.Minor(uint64(st.Rdev)), nil
}
