package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleBuffered = Rule{
	Name:   "buffered",
	Checks: "the page cache was bypassed",
	Evidence: "what the probe found about direct I/O: whether it is accepted, and whether data read with it came from the page cache (or that below a loop device) " +
		"or ZFS's cache rather than from the device. A server's cache across a network is part of that storage, so this is not checked behind a network filesystem; " +
		"the cache of a process of this machine (FUSE) is not part of it",
	Severity: "warning: the numbers are partly the page cache's, or nothing shows that they are not",
	Advice:   "measure a filesystem or device that takes O_DIRECT",
	check:    checkBuffered,
}

// checkBuffered puts a warning on every number measured without direct I/O, where the page cache
// answers. The queue depth then proves nothing: buffered libaio still reports the requested depth.
//
// An accepted O_DIRECT proves nothing by itself: ext4 with data=journal accepts it and uses the page
// cache, a loop device may use its file through it, and so may the process behind a FUSE filesystem.
// Without a proof that the caches of this machine were bypassed there is a warning. A server's cache
// across a network is part of that storage; the cache of a process on this machine is not.
//
// Evidence: what the plan settled on after probing.
func checkBuffered(ev Evidence) []model.Finding {
	v, s := ev.Recorded.Plan.Volume, ev.Recorded.Environment.Storage
	switch {
	case ev.appends():
		return passedAll("data was written through the page cache, as a log is, and flushed after each write")
	case v.Engine == "":
		return notChecked("the plan names no I/O engine")
	case v.Direct:
		return checkDirect(v, s, ev.Recorded.Environment.Memory)
	}
	why := s.DirectError
	message := "buffered: direct I/O was not used, so these numbers are partly the page cache's"
	if why != "" {
		message = "buffered: direct I/O was refused (" + why + "), so these numbers are partly the page cache's"
	}
	return []model.Finding{{
		Severity: model.SeverityWarning,
		Message:  message,
		Evidence: map[string]any{"engine": v.Engine, "direct": false, "direct_error": why},
		Next:     "measure a filesystem or device that takes O_DIRECT",
	}}
}

// checkDirect judges direct I/O that was accepted, on a machine with so many bytes of memory.
func checkDirect(v model.Volume, s model.Storage, memory int64) []model.Finding {
	switch kind := v.Target.Kind; {
	case s.Bypassed != nil && !*s.Bypassed:
		return []model.Finding{{
			Severity: model.SeverityWarning,
			Message:  "direct I/O is accepted here but is not direct: " + s.BypassDetail + ", so these numbers are partly those of memory",
			Evidence: map[string]any{"engine": v.Engine, "direct": true, "bypassed": false, "filesystem": s.Filesystem, "mount_options": s.MountOpts},
			Next:     s.DirectFix() + ", or measure another filesystem or device",
		}}
	case s.Userspace() && (memory == 0 || v.Size <= memory):
		room, next := "", "measure what it is built on"
		if memory > 0 {
			room = ", which has room for all of the " + units.FormatSize(v.Size)
			next += ", or more than the memory of this machine (--size " + units.FormatSize(2*memory) + ")"
		}
		return []model.Finding{{
			Severity: model.SeverityWarning,
			Message:  fmt.Sprintf("direct I/O was accepted by %s, which a process of this machine serves: nothing shows whether that process answered from memory%s", s.Filesystem, room),
			Evidence: map[string]any{"filesystem": s.Filesystem, "size": v.Size, "memory": memory},
			Next:     next,
		}}
	case s.Userspace():
		return notChecked("direct I/O was accepted; what the process that serves " + s.Filesystem + " keeps in memory cannot be seen, but it cannot be all of the volume")
	case s.Networked():
		return notChecked("direct I/O was accepted; what " + s.Filesystem + " or its server keeps in memory does not show, and a server's cache is part of that storage")
	case s.Memory:
		return notChecked("direct I/O was accepted; there is no device whose cache could be bypassed")
	case kind == model.RBD:
		// The rbd tool changes these settings for itself, so that it does not tell what fio's process has.
		return notChecked("the I/O bypassed the page cache; whether librbd, in fio's process, answered from a cache of its own does not show (by default it keeps no reads, and passes every write on until the first flush)")
	case s.Bypassed != nil || kind == model.NBD || kind == model.Fake || kind == model.Foreign:
		return passedAll("the I/O bypassed the page cache")
	}
	why := s.BypassDetail
	if why == "" {
		why = "the run does not say why"
	}
	return []model.Finding{{
		Severity: model.SeverityWarning,
		Message:  "direct I/O was accepted, and nothing shows that it is direct (" + why + "), so these numbers may be partly those of memory",
		Evidence: map[string]any{"engine": v.Engine, "direct": true, "filesystem": s.Filesystem, "device": s.Device},
		Next:     s.DirectUnknownFix(),
	}}
}
