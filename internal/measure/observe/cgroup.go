package observe

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/measure/procfs"
)

// cgroups holds the directories of this process's cgroup and its ancestors, innermost first, as paths
// of an fs.FS ("sys/fs/cgroup/…").
type cgroups struct {
	cpu, memory []string
	// cpuV2 and memoryV2 are true if the controller's files have the layout of version 2
	// (cgroups(7)).
	cpuV2, memoryV2 bool
}

// findCgroups finds this process's cgroups through /proc/self/cgroup and where they are mounted
// through mountinfo. A controller mounted under version 1 takes precedence over the unified
// hierarchy.
func findCgroups(files fs.FS) cgroups {
	places := procfs.Cgroups(text(files, "proc/self/cgroup"))
	mounts := cgroupMounts(text(files, "proc/self/mountinfo"))
	var c cgroups
	for _, m := range mounts {
		place, ok := places[m.controller]
		if !ok {
			continue
		}
		switch m.controller {
		case "cpu":
			c.cpu = levels(m, place)
		case "memory":
			c.memory = levels(m, place)
		}
	}
	for _, m := range mounts {
		place, ok := places[""]
		if m.controller != "" || !ok {
			continue
		}
		if c.cpu == nil {
			c.cpu, c.cpuV2 = levels(m, place), true
		}
		if c.memory == nil {
			c.memory, c.memoryV2 = levels(m, place), true
		}
	}
	return c
}

// cgroupMount is a mounted hierarchy; its controller is empty for version 2.
type cgroupMount struct{ controller, root, point string }

// cgroupMounts lists the hierarchies in a mountinfo file, without lines of it that cannot be read.
func cgroupMounts(text string) []cgroupMount {
	var list []cgroupMount
	mounts, _ := procfs.Mounts(strings.NewReader(text))
	for _, m := range mounts {
		if m.Type == "cgroup2" {
			list = append(list, cgroupMount{"", m.Root, m.Point})
		}
		for _, controller := range []string{"cpu", "memory", blkio} {
			if m.Controls(controller) {
				list = append(list, cgroupMount{controller, m.Root, m.Point})
			}
		}
	}
	return list
}

// levels lists the directories from our cgroup up to the root of the mount. In a container without a
// cgroup namespace, the path begins with the mount's root.
func levels(m cgroupMount, place string) []string {
	rel := place
	if m.root != "/" {
		rel = strings.TrimPrefix(place, m.root)
	}
	point := strings.TrimPrefix(m.point, "/")
	var dirs []string
	for rel = path.Clean("/" + rel); ; rel = path.Dir(rel) {
		dirs = append(dirs, path.Join(point, rel))
		if rel == "/" {
			return dirs
		}
	}
}

// limits returns the tightest limits along the path: cores and bytes, 0 for none. A memory limit at
// or above the machine's memory counts as none.
func (c cgroups) limits(files fs.FS, machineMemory int64) (cpu float64, memory int64) {
	for _, dir := range c.cpu {
		if l := c.cpuLimit(files, dir); l > 0 && (cpu == 0 || l < cpu) {
			cpu = l
		}
	}
	for _, dir := range c.memory {
		name := "memory.limit_in_bytes"
		if c.memoryV2 {
			name = "memory.max"
		}
		l, ok := number(files, path.Join(dir, name))
		if ok && (machineMemory == 0 && l < 1<<62 || l < machineMemory) && (memory == 0 || l < memory) {
			memory = l
		}
	}
	return cpu, memory
}

func (c cgroups) cpuLimit(files fs.FS, dir string) float64 {
	quota, period := text(files, path.Join(dir, "cpu.cfs_quota_us")), text(files, path.Join(dir, "cpu.cfs_period_us"))
	if c.cpuV2 {
		quota, period, _ = strings.Cut(text(files, path.Join(dir, "cpu.max")), " ")
	}
	q, err := strconv.ParseFloat(quota, 64) // "max" and "-1" are no limit
	p, err2 := strconv.ParseFloat(period, 64)
	if err != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return q / p
}

// throttled returns, for each level, how long its CPU limit has throttled its members so far, in
// seconds.
func (c cgroups) throttled(files fs.FS) []float64 {
	times := make([]float64, len(c.cpu))
	for i, dir := range c.cpu {
		for line := range strings.Lines(text(files, path.Join(dir, "cpu.stat"))) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			n, err := strconv.ParseFloat(value, 64)
			switch {
			case err != nil:
			case key == "throttled_usec": // version 2
				times[i] = n / 1e6
			case key == "throttled_time": // version 1, in nanoseconds
				times[i] = n / 1e9
			}
		}
	}
	return times
}
