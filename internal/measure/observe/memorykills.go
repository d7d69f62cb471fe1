package observe

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// MemoryKills returns how many processes the kernel's out-of-memory killer has killed in this process's memory cgroup (group) and
// on the whole machine (machine), each -1 if that is not known. Of the memory limits of the cgroup and its ancestors, limit is the
// one that came closest to being reached, in bytes, and used the largest share of it that was ever in use. If no share is known,
// limit is the lowest limit and used is -1; without any limit, limit is 0. A process of the group also counts if the whole machine ran
// out of memory, in which case no limit need have been reached. (The kernel counts that a limit was reached in the cgroup where the
// limit is set, which for a pod is outside of its containers.) The counters are oom_kill of memory.events.local (of memory.events, which
// includes the groups below, where there is none) or of memory.oom_control (version 1), and of /proc/vmstat; the most used is
// memory.peak or memory.max_usage_in_bytes.
func MemoryKills() (group, machine, limit int64, used float64) { return memoryKills(os.DirFS("/")) }

func memoryKills(files fs.FS) (group, machine, limit int64, used float64) {
	groups := findCgroups(files)
	group, machine, used = -1, count(text(files, "proc/vmstat"), "oom_kill"), -1
	all := parseMemTotal(text(files, "proc/meminfo"))
	for i, dir := range groups.memory {
		if i == 0 {
			group = groups.kills(files, dir)
		}
		if of, share := groups.usedOfLimit(files, dir, all); share > used {
			limit, used = of, share
		}
	}
	if used < 0 {
		_, limit = groups.limits(files, all)
	}
	return group, machine, limit, used
}

// kills returns how many processes of a memory cgroup the killer has killed; -1 if it is not known.
func (c cgroups) kills(files fs.FS, dir string) int64 {
	if !c.memoryV2 {
		return count(text(files, path.Join(dir, "memory.oom_control")), "oom_kill")
	}
	if n := count(text(files, path.Join(dir, "memory.events.local")), "oom_kill"); n >= 0 {
		return n
	}
	return count(text(files, path.Join(dir, "memory.events")), "oom_kill")
}

// usedOfLimit returns a memory cgroup's limit, and the largest share of it that was ever used; -1 if it has none, or
// if it is not known.
func (c cgroups) usedOfLimit(files fs.FS, dir string, machineMemory int64) (limit int64, share float64) {
	of := cgroups{memory: []string{dir}, memoryV2: c.memoryV2}
	_, limit = of.limits(files, machineMemory)
	name := "memory.max_usage_in_bytes"
	if c.memoryV2 {
		name = "memory.peak"
	}
	peak, ok := number(files, path.Join(dir, name))
	if limit <= 0 || !ok {
		return limit, -1
	}
	return limit, float64(peak) / float64(limit)
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
