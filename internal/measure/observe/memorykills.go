package observe

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// MemoryKills returns how many processes the kernel's out-of-memory killer has killed in this process's memory cgroup (and,
// under version 2, in those below it) and on the whole machine, each -1 if it is not known; and the tightest memory limit of
// the cgroup and its ancestors in bytes, 0 if there is none. The counters are oom_kill of memory.events
// (version 2) or memory.oom_control (version 1), and of /proc/vmstat.
func MemoryKills() (group, machine, limit int64) { return memoryKills(os.DirFS("/")) }

func memoryKills(files fs.FS) (group, machine, limit int64) {
	groups := findCgroups(files)
	group, machine = -1, killCount(text(files, "proc/vmstat"))
	if len(groups.memory) > 0 {
		name := "memory.oom_control"
		if groups.memoryV2 {
			name = "memory.events"
		}
		group = killCount(text(files, path.Join(groups.memory[0], name)))
	}
	_, limit = groups.limits(files, parseMemTotal(text(files, "proc/meminfo")))
	return group, machine, limit
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
