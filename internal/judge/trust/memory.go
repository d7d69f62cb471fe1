package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var ruleMemory = Rule{
	Name:   "memory",
	Checks: "the volume is not in RAM (tmpfs, ramfs, a loop device or an overlay on them), and flushes reach the storage",
	Evidence: "the filesystem's type, the chain of devices below it, and its mount options (nobarrier, an overlay's volatile). The file of a loop device is " +
		"found by its device and inode numbers, among the mounts of all visible processes and the layers of an overlay; a name alone is no proof of a disk",
	Severity: "invalid: this is memory; warning: one of several devices below the volume is in RAM, as of a cache or a mirror; or nothing shows that the volume is not in memory, as no visible mount leads to the file of a loop device below it, or to the upper directory of an overlay; " +
		"or an application's log is in memory, or its filesystem does not pass flushes on",
	Advice: "name a directory on a disk, or mount it without that option",
	check:  checkMemory,
}

// checkMemory reports a volume in RAM, which is not storage. tmpfs accepts direct I/O like a disk does,
// so only its type reveals it.
//
// A loop device whose file cannot be found may be on a tmpfs that is mounted in another container or
// nowhere any more, so there is a warning, as without a proof of direct I/O. It is not checked where
// something is known of what is below, though not enough: a name that this user cannot verify, or a
// filesystem that has no block device.
//
// If a filesystem's mount options let flushes complete before the data are on a disk, workloads that
// wait for flushes say nothing about the disk.
//
// Evidence: the filesystem's type and options, and the chain of devices below it.
func checkMemory(ev Evidence) []model.Finding {
	s := ev.Recorded.Environment.Storage
	if s.Memory {
		return []model.Finding{{
			Severity: model.SeverityInvalid,
			Message:  "this is memory: the volume is in " + memoryOf(s) + ", so no disk was measured",
			Evidence: map[string]any{"filesystem": s.Filesystem, "device": s.Device, "mount": s.Mount},
			Next:     "name a directory on a disk; findmnt -t notmpfs,noramfs lists the filesystems that are not memory",
		}}
	}
	var found []model.Finding
	switch log := ev.Recorded.Environment.LogStorage; {
	case log != nil && log.Memory:
		found = append(found, model.Finding{
			Severity: model.SeverityWarning,
			Message:  "the log is in memory (" + memoryOf(*log) + "): its flushes reach no storage, and committed data would be lost, so these are the numbers of a server whose commits cost nothing",
			Evidence: map[string]any{"filesystem": log.Filesystem, "mount": log.Mount},
			Next:     "name a directory on a disk for --wal",
		})
	case log != nil && log.MemoryPart != "":
		found = append(found, partlyInMemory("the log", *log))
	}
	if s.MemoryPart != "" {
		found = append(found, partlyInMemory("the volume", s))
	}
	for _, f := range checkTraced(ev) {
		if len(found) == 0 || f.Severity == model.SeverityWarning {
			found = append(found, f)
		}
	}
	return found
}

// memoryOf names what a volume in RAM is in: its filesystem, and what an overlay writes to.
func memoryOf(s model.Storage) string {
	switch {
	case s.Filesystem == "":
		return "a device whose data is in RAM"
	case s.Filesystem != "overlay":
		return s.Filesystem
	case len(s.DeviceChain) < 2:
		return "an overlay whose upper directory is in RAM"
	}
	below := strings.Join(s.DeviceChain[1:], ", ")
	if strings.Contains(s.MountOpts, "upperdir=") {
		return "an overlay whose upper directory is on " + below
	}
	return "an overlay on " + below
}

// checkTraced judges whether a volume that is not known to be in memory could be, and whether flushes reach it.
func checkTraced(ev Evidence) []model.Finding {
	s := ev.Recorded.Environment.Storage
	kind := ev.Recorded.Plan.Volume.Target.Kind
	hidden, what := s, "the volume"
	// If an application keeps its log on separate storage, that is what it flushes.
	flushed := s
	if log := ev.Recorded.Environment.LogStorage; log != nil {
		flushed = *log
		if !s.Untraced && (log.Untraced || s.Unseen == "") {
			hidden, what = *log, "the log"
		}
	}
	switch {
	case kind == model.NBD || kind == model.RBD:
		return notChecked("a server behind a socket does not reveal whether its data is in memory")
	case hidden.Untraced:
		return []model.Finding{{
			Severity: model.SeverityWarning,
			Message:  "nothing shows that " + what + " is not in memory: " + hidden.Unseen,
			Evidence: map[string]any{"filesystem": hidden.Filesystem, "device": hidden.Device, "device_chain": hidden.DeviceChain},
			Next:     unseenNext,
		}}
	case !flushed.Memory && dropsFlushes(flushed) != "" && len(ev.flushed()) > 0:
		return []model.Finding{{
			Severity: model.SeverityWarning, Results: ev.flushed(),
			Message:  fmt.Sprintf("flushes are not passed on: %s is mounted with %s, so they return before anything is on a disk, and their duration says nothing about it", flushed.Mount, dropsFlushes(flushed)),
			Evidence: map[string]any{"filesystem": flushed.Filesystem, "mount": flushed.Mount, "mount_options": flushed.MountOpts, "write_cache": flushed.WriteCache},
			Next:     "mount it without " + dropsFlushes(flushed) + ", or measure another filesystem",
		}}
	case hidden.Unseen != "":
		return []model.Finding{{Severity: model.SeverityNotChecked, Message: hidden.Unseen + ", so it cannot be seen whether " + what + " is in memory", Next: unseenNext}}
	case s.Filesystem == "" && s.Device == "":
		return notChecked("neither the filesystem nor the device behind the volume is known")
	case s.Remote():
		return notChecked("no block device of this machine stands behind " + s.Filesystem + ", so it cannot be seen where its data is")
	}
	return passedAll("the volume is not in memory")
}

// unseenNext is what to do if it does not show what a volume is built on.
const unseenNext = "measure as root and outside of containers; if that shows no more, measure the disk itself, or a loop device on a file of a mounted filesystem (losetup -l names the files)"

// dropsFlushes is the mount option that keeps flushes from reaching a disk; "" if none. An overlay's
// "volatile" drops them all (Linux shows it as fsync=volatile as well); without barriers the device is
// not asked to flush its cache, which matters only if it has one.
func dropsFlushes(s model.Storage) string {
	wanted := []string{"nobarrier", "barrier=0", "barrier=none", "fsync_mode=nobarrier"}
	if s.Filesystem == "overlay" {
		wanted = []string{"volatile", "fsync=volatile"}
	} else if s.WriteCache == "write through" {
		return ""
	}
	for option := range strings.SplitSeq(s.MountOpts, ",") {
		if slices.Contains(wanted, option) {
			return option
		}
	}
	return ""
}

// flushed are the workloads with results that wait for flushes: of writes, or of an application.
func (ev Evidence) flushed() (names []string) {
	for _, name := range ev.workloads() {
		if w, known := ev.Recorded.Plan.Workload(name); known && (w.Sync != "" || w.Loads() && w.Writes()) {
			names = append(names, name)
		}
	}
	return names
}

// partlyInMemory warns of a volume, or a log, of whose devices one is in RAM.
func partlyInMemory(what string, s model.Storage) model.Finding {
	list := "lsblk -s"
	if s.Device != "" {
		list += " /dev/" + s.Device
	}
	return model.Finding{
		Severity: model.SeverityWarning,
		Message:  fmt.Sprintf("partly in memory: of the devices below %s, %s is in RAM, and may have answered instead of a disk", what, s.MemoryPart),
		Evidence: map[string]any{"memory": s.MemoryPart, "device": s.Device, "device_chain": s.DeviceChain},
		Next:     "measure one of the disks below it; " + list + " lists them",
	}
}
