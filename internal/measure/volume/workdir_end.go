package volume

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/procfs"
)

// quitting is how long the programs of a working directory get to end before they are killed.
const quitting = 5 * time.Second

// endOwnIn ends the programs started by Loadline whose working directory is at or below dir, first
// with SIGQUIT (on which PostgreSQL leaves no shared memory behind), then with SIGKILL. It returns
// those that are still running. A user's shell in the directory is left alone.
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

// ownIn returns the processes in a directory that Loadline has started.
func ownIn(dir string) []int {
	return slices.DeleteFunc(procfs.ProcessesBelow(dir), func(id int) bool { return !started(id) })
}

// started reports whether Loadline started a process for a measurement, directly or indirectly: it
// has inherited the mark in its environment. PostgreSQL's processes overwrite their environment with
// their status, so they are recognised by that.
func started(id int) bool {
	title, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id))
	if bytes.HasPrefix(title, []byte("postgres: ")) {
		return true
	}
	ours, err := procfs.InEnvironment(id, env.StartedByUs)
	if err != nil {
		// Even root may be denied access (in a container), so we cannot rule out that it started the
		// process as another user.
		return os.Geteuid() == 0
	}
	return ours
}
