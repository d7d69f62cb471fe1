package observe

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// MemoryKills says how often the kernel's out-of-memory killer has killed a process near this one.
type MemoryKills struct {
	// Group counts processes of this process's memory cgroup (and, under version 2, of those below
	// it), Machine those of the whole machine; each is -1 if it is not known.
	Group, Machine int64
	// Limit is the tightest memory limit of the cgroup and its ancestors in bytes; 0 if there is none.
	Limit int64
}

// ReadMemoryKills reads the counters oom_kill of this process's memory cgroup (memory.events of
// version 2, memory.oom_control of version 1) and of /proc/vmstat.
func ReadMemoryKills() MemoryKills { return memoryKills(os.DirFS("/")) }

func memoryKills(files fs.FS) MemoryKills {
	groups := findCgroups(files)
	k := MemoryKills{Group: -1, Machine: killCount(text(files, "proc/vmstat"))}
	if len(groups.memory) > 0 {
		name := "memory.oom_control"
		if groups.memoryV2 {
			name = "memory.events"
		}
		k.Group = killCount(text(files, path.Join(groups.memory[0], name)))
	}
	_, k.Limit = groups.limits(files, parseMemTotal(text(files, "proc/meminfo")))
	return k
}

// killCount returns the value of the line "oom_kill N"; -1 if there is none.
func killCount(s string) int64 {
	for line := range strings.Lines(s) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && key == "oom_kill" {
			return n
		}
	}
	return -1
}
