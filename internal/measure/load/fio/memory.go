package fio

import (
	"strings"
	"syscall"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model/units"
)

// memoryVerdict says whether the kernel's out-of-memory killer killed a process while fio ran. The kernel does not say which
// one: in a container with a memory limit it is almost certainly fio, elsewhere it may be any process.
type memoryVerdict struct {
	// probable is set in a container with a memory limit in which it did.
	probable bool
	// likely is set if it may have been fio.
	likely bool
	// why continues a message that fio was killed.
	why string
}

// outOfMemory reports whether fio, or one of its jobs, was the process that the killer chose. Outside
// a container, fio shares its cgroup with other programs, so a kill there need not be fio's.
func (o *outcome) outOfMemory() bool {
	return o.memory.probable && (o.signal == syscall.SIGKILL || o.lostJob())
}

// lostJob reports whether fio says that one of its jobs was killed.
func (o *outcome) lostJob() bool { return o.said("got signal=9") }

// jobEndedBySignal reports whether fio says that a signal ended one of its jobs.
func (o *outcome) jobEndedBySignal() bool { return o.said("got signal=") }

func (o *outcome) said(words string) bool {
	return strings.Contains(o.stderr.String()+o.text.String(), words)
}

// jobKilled continues fio's message that one of its jobs was killed, if the kernel's killer may have done it.
func (o *outcome) jobKilled() string {
	if o.memory.likely && o.lostJob() {
		return o.memory.why
	}
	return ""
}

// reachedFrom is the share of a memory limit from which on it counts as reached: the limit of a pod, which is as large as its container's,
// also has to hold the pod's own process.
const reachedFrom = 0.9

// judgeMemory compares the kernel's counters from before and after an execution.
func judgeMemory(before, after procfs.MemoryKills) memoryVerdict {
	inGroup, inMachine := before.Group != nil && after.Group != nil, before.Machine != nil && after.Machine != nil
	killed := inGroup && *after.Group > *before.Group
	switch {
	case killed && after.Limit > 0 && after.Used != nil && *after.Used < reachedFrom:
		return memoryVerdict{why: "; the kernel's out-of-memory killer ended a process here meanwhile, although no memory limit that is visible here was reached: one further out was, or the machine was out of memory, see dmesg", likely: true}
	case killed && after.Limit > 0:
		return memoryVerdict{probable: true, likely: true, why: ": the memory limit here is " + units.FormatSize(after.Limit) + " (for a pod, --resources memory=… sets it)"}
	case killed, inMachine && *after.Machine > *before.Machine && after.Group == nil:
		return memoryVerdict{likely: true, why: "; the kernel's out-of-memory killer ended a process meanwhile: see dmesg"}
	case inGroup, inMachine:
		return memoryVerdict{why: ", and not by the kernel's out-of-memory killer: something else sent it SIGKILL"}
	}
	return memoryVerdict{why: "; if it was not killed by hand, the kernel's out-of-memory killer did it: see dmesg"}
}
