package volume

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// quitting is how long the programs of a working directory may take to end before they are killed.
const quitting = 5 * time.Second

// endOwnIn ends the programs of ours whose working directory is at or below dir, first by
// asking (SIGQUIT, by which PostgreSQL leaves no shared memory behind), then by a kill. It
// returns those that are still there. Somebody's shell that stands in the directory is left
// alone: it is not ours to end.
func endOwnIn(dir string) (left []int) {
	if dir == "" {
		return nil
	}
	for _, s := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGKILL} {
		for until := system.Now().Add(quitting); system.Now().Before(until); system.Sleep(20 * time.Millisecond) {
			all := ownIn(dir)
			if len(all) == 0 {
				return nil
			}
			if left == nil || s == syscall.SIGKILL {
				for _, id := range all {
					_ = syscall.Kill(id, s)
				}
			}
			left = all
		}
	}
	return ownIn(dir)
}

// ownIn are those of the processes in a directory that Loadline has started there.
func ownIn(dir string) []int {
	return slices.DeleteFunc(ProcessesIn(dir), func(id int) bool { return !started(id) })
}

// started reports whether a process is one that Loadline started for a measurement, or a
// descendant: it has inherited the mark. PostgreSQL's processes write what they do over their
// environment, so theirs is looked for in that.
func started(id int) bool {
	title, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id))
	if bytes.HasPrefix(title, []byte("postgres: ")) {
		return true
	}
	vars, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", id))
	if err != nil {
		// Root that may not look (a container's) may still have started it as somebody else.
		return os.Geteuid() == 0
	}
	return slices.Contains(strings.Split(string(vars), "\x00"), env.StartedByUs)
}

// ProcessesIn are the ids of the processes whose working directory is at or below dir, which
// must be free of symbolic links; none where there is no /proc.
func ProcessesIn(dir string) []int {
	var ids []int
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		at, err := os.Readlink(link)
		// A removed directory shows as "… (deleted)".
		if err != nil || at != dir && !strings.HasPrefix(at, dir+"/") && !strings.HasPrefix(at, dir+" (deleted)") {
			continue
		}
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil && id != os.Getpid() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
