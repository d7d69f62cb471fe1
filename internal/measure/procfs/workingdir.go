package procfs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ProcessesIn returns the ids, in ascending order, of the other processes whose working directory is dir, which must be free of
// symbolic links; none if there is no /proc.
func ProcessesIn(dir string) []int {
	return working(func(at string) bool { return at == dir })
}

// ProcessesBelow returns those whose working directory is dir or below it.
func ProcessesBelow(dir string) []int {
	return working(func(at string) bool { return at == dir || strings.HasPrefix(at, dir+"/") })
}

// working returns the ids of the other processes whose working directory is as asked for.
func working(in func(dir string) bool) (ids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		at, err := os.Readlink(link)
		// A removed directory shows as "… (deleted)".
		if err != nil || !in(at) && !in(strings.TrimSuffix(at, " (deleted)")) {
			continue
		}
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil && id != os.Getpid() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// InEnvironment reports whether a process was started with a variable, written NAME=VALUE, in its environment. An error means
// that this user may not see it, or that the process has ended.
func InEnvironment(id int, variable string) (bool, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", id))
	if err != nil {
		return false, err
	}
	return slices.Contains(strings.Split(string(text), "\x00"), variable), nil
}
