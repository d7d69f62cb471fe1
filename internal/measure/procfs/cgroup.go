package procfs

import "strings"

// Cgroups parses /proc/PID/cgroup (cgroups(7)), with lines such as "4:memory:/a/b": the path in each version 1 hierarchy by
// controller, and under "" that of version 2 ("0::/a/b").
func Cgroups(text string) map[string]string {
	paths := map[string]string{}
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) != 3 {
			continue
		}
		for _, controller := range strings.Split(f[1], ",") {
			paths[controller] = f[2]
		}
	}
	return paths
}
