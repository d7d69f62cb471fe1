package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var ruleMemory = Rule{
	Name:     "memory",
	Checks:   "the volume is not in RAM (tmpfs, ramfs, a loop device on them), and flushes reach the storage",
	Evidence: "the filesystem's type, the chain of devices below it, and its mount options (nobarrier, an overlay's volatile)",
	Severity: "invalid: this is memory; warning: an application's log is in memory, or its filesystem does not pass flushes on",
	Advice:   "name a directory on a disk, or mount it without that option",
	check:    checkMemory,
}

// checkMemory reports a volume in RAM, which is not storage. tmpfs accepts direct I/O like a disk does,
// so only its type reveals it.
//
// If a filesystem's mount options let flushes complete before the data are on a disk, workloads that
// wait for flushes say nothing about the disk.
//
// Evidence: the filesystem's type and options, and the chain of devices below it.
func checkMemory(ev Evidence) []model.Finding {
	s := ev.Recorded.Environment.Storage
	kind := ev.Recorded.Plan.Volume.Target.Kind
	// If an application keeps its log on separate storage, that is what it flushes.
	flushed, log := s, ev.Recorded.Environment.LogStorage
	if log != nil {
		flushed = *log
	}
	if log != nil && log.Memory && !s.Memory {
		return []model.Finding{{
			Severity: model.SeverityWarning,
			Message:  "the log is in memory (" + log.Filesystem + "): its flushes reach no storage, and committed data would be lost, so these are the numbers of a server whose commits cost nothing",
			Evidence: map[string]any{"filesystem": log.Filesystem, "mount": log.Mount},
			Next:     "name a directory on a disk for --wal",
		}}
	}
	switch {
	case s.Memory:
		where := s.Filesystem
		if where == "" {
			where = "a device whose data is in RAM"
		}
		return []model.Finding{{
			Severity: model.SeverityInvalid,
			Message:  "this is memory: the volume is in " + where + ", so no disk was measured",
			Evidence: map[string]any{"filesystem": s.Filesystem, "device": s.Device, "mount": s.Mount},
			Next:     "name a directory on a disk; findmnt -t notmpfs,noramfs lists the filesystems that are not memory",
		}}
	case kind == model.NBD || kind == model.RBD:
		return notChecked("a server behind a socket does not reveal whether its data is in memory")
	case dropsFlushes(flushed) != "" && len(ev.flushed()) > 0:
		return []model.Finding{{
			Severity: model.SeverityWarning, Results: ev.flushed(),
			Message:  fmt.Sprintf("flushes are not passed on: %s is mounted with %s, so they return before anything is on a disk, and their duration says nothing about it", flushed.Mount, dropsFlushes(flushed)),
			Evidence: map[string]any{"filesystem": flushed.Filesystem, "mount": flushed.Mount, "mount_options": flushed.MountOpts, "write_cache": flushed.WriteCache},
			Next:     "mount it without " + dropsFlushes(flushed) + ", or measure another filesystem",
		}}
	case s.Filesystem == "" && s.Device == "":
		return notChecked("neither the filesystem nor the device behind the volume is known")
	case s.Remote():
		return notChecked("no block device of this machine stands behind " + s.Filesystem + ", so it cannot be seen where its data is")
	}
	return passedAll("the volume is not in memory")
}

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
