package observe

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/measure/procfs"
)

// MemoryKills returns what the kernel's out-of-memory killer has done so far. A process of the group also counts if the whole
// machine ran out of memory, in which case no limit need have been reached. (The kernel counts that a limit was reached in the
// cgroup where the limit is set, which for a pod is outside of its containers.) The counters are oom_kill of memory.events.local
// (of memory.events, which includes the groups below, where there is none) or of memory.oom_control (version 1), and of
// /proc/vmstat; the most used is memory.peak or memory.max_usage_in_bytes.
func MemoryKills() procfs.MemoryKills { return memoryKills(os.DirFS("/")) }

func memoryKills(files fs.FS) procfs.MemoryKills {
	groups := findCgroups(files)
	all := parseMemTotal(text(files, "proc/meminfo"))
	k := procfs.MemoryKills{Machine: count(text(files, "proc/vmstat"), "oom_kill")}
	for i, dir := range groups.memory {
		if i == 0 {
			k.Group = groups.kills(files, dir)
		}
		if limit, share := groups.usedOfLimit(files, dir, all); share != nil && (k.Used == nil || *share > *k.Used) {
			k.Limit, k.Used = limit, share
		}
	}
	if k.Used == nil {
		_, k.Limit = groups.limits(files, all)
	}
	return k
}

// kills returns how many processes of a memory cgroup the killer has killed; nil if it is not known.
func (c cgroups) kills(files fs.FS, dir string) *int64 {
	if !c.memoryV2 {
		return count(text(files, path.Join(dir, "memory.oom_control")), "oom_kill")
	}
	if n := count(text(files, path.Join(dir, "memory.events.local")), "oom_kill"); n != nil {
		return n
	}
	return count(text(files, path.Join(dir, "memory.events")), "oom_kill")
}

// usedOfLimit returns a memory cgroup's limit, and the largest share of it that was ever used; nil if it has none, or
// if it is not known.
func (c cgroups) usedOfLimit(files fs.FS, dir string, machineMemory int64) (limit int64, share *float64) {
	of := cgroups{memory: []string{dir}, memoryV2: c.memoryV2}
	_, limit = of.limits(files, machineMemory)
	name := "memory.max_usage_in_bytes"
	if c.memoryV2 {
		name = "memory.peak"
	}
	peak, ok := number(files, path.Join(dir, name))
	if limit <= 0 || !ok {
		return limit, nil
	}
	return limit, new(float64(peak) / float64(limit))
}

// count returns the value of the line "KEY N"; nil if there is none.
func count(s, key string) *int64 {
	for line := range strings.Lines(s) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && name == key {
			return &n
		}
	}
	return nil
}
