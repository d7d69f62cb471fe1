package trace

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/procfs"
)

// tasks looks up the cgroups of processes, for methods that see which process makes a request but not
// to which cgroup the block layer accounts it.
type tasks struct {
	groups *cgroups
	clock  env.Clock
	// files looks like "/".
	files fs.FS
	// sampled is true if the kernel's number of a task's cgroup is one of groups.
	sampled bool
	known   map[uint32]task
}

// task is the cgroup of a process and when it was read: a process can be moved.
type task struct {
	group     uint64
	refreshed time.Time
}

// newTasks takes the mountinfo file from which groups was made: the cgroup in the events is that of
// the perf_event controller, which belongs to version 2 unless it is mounted under version 1.
func newTasks(groups *cgroups, files fs.FS, text string, clock env.Clock) *tasks {
	t := &tasks{groups: groups, clock: clock, files: files, sampled: !groups.version1, known: map[uint32]task{}}
	mounts, _ := procfs.Mounts(strings.NewReader(text))
	for _, m := range mounts {
		t.sampled = t.sampled && !m.Controls("perf_event")
	}
	return t
}

// maxTasks bounds the number of processes remembered.
const maxTasks = 1 << 16

// cacheTime is how long a cached cgroup is used before it is read again.
const cacheTime = time.Second

// group returns the number of a process's cgroup; 0 if it has none or has ended before it was read.
func (t *tasks) group(pid uint32, sampled uint64) uint64 {
	if t.sampled && sampled != 0 {
		return sampled
	}
	if pid == 0 || t.groups.root == "" {
		return 0
	}
	was, known := t.known[pid]
	if known && t.clock.Since(was.refreshed) < cacheTime {
		return was.group
	}
	now := task{group: was.group, refreshed: t.clock.Now()}
	text, err := fs.ReadFile(t.files, path.Join("proc", strconv.FormatUint(uint64(pid), 10), "cgroup"))
	if err == nil {
		now.group = t.groups.number(procfs.Cgroups(string(text))[t.groups.controller()])
	} else if !errors.Is(err, fs.ErrNotExist) {
		now.group = 0
	}
	if len(t.known) >= maxTasks {
		clear(t.known)
	}
	t.known[pid] = now
	return now.group
}
