package observe

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// MemoryKills returns how many processes the kernel's out-of-memory killer has killed in this process's memory cgroup and on
// the whole machine; how often a memory limit of the cgroup or of its ancestors was reached, with nothing left to give back
// (version 2; under version 1, where page cache may have been); and the tightest of these limits in bytes, 0 if there is
// none. A count that is not known is -1. A process of the group is also counted if the machine ran out of memory, or an
// ancestor. The counters are oom_kill and oom of memory.events.local (of memory.events, which includes the groups below, where
// there is none), or oom_kill of memory.oom_control and memory.failcnt (version 1); and oom_kill of /proc/vmstat.
func MemoryKills() (group, machine, reached, limit int64) { return memoryKills(os.DirFS("/")) }

func memoryKills(files fs.FS) (group, machine, reached, limit int64) {
	groups := findCgroups(files)
	group, machine, reached = -1, count(text(files, "proc/vmstat"), "oom_kill"), -1
	for i, dir := range groups.memory {
		kills, limited := groups.memoryEvents(files, dir)
		if i == 0 {
			group = kills
		}
		if limited >= 0 {
			reached = max(0, reached) + limited
		}
	}
	_, limit = groups.limits(files, parseMemTotal(text(files, "proc/meminfo")))
	return group, machine, reached, limit
}

// memoryEvents returns a memory cgroup's number of killed processes, and of times when its limit was reached.
func (c cgroups) memoryEvents(files fs.FS, dir string) (kills, limited int64) {
	if !c.memoryV2 {
		limited, ok := number(files, path.Join(dir, "memory.failcnt"))
		if !ok {
			limited = -1
		}
		return count(text(files, path.Join(dir, "memory.oom_control")), "oom_kill"), limited
	}
	events := text(files, path.Join(dir, "memory.events.local"))
	if events == "" {
		events = text(files, path.Join(dir, "memory.events"))
	}
	return count(events, "oom_kill"), count(events, "oom")
}

// count returns the value of the line "KEY N"; -1 if there is none.
func count(s, key string) int64 {
	for line := range strings.Lines(s) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && name == key {
			return n
		}
	}
	return -1
}
