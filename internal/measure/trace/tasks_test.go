package trace

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// The cgroup of a process is the kernel's number if that belongs to the same hierarchy, and otherwise
// that of its path, which is read again from time to time and kept after the process has ended.
func TestCgroupsOfTasks(t *testing.T) {
	number := func(c *cgroups, path string) uint64 {
		info, err := os.Stat(c.root + path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Sys().(*syscall.Stat_t).Ino
	}
	const v1 = "30 20 0:26 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n"
	const v2 = "31 20 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	const perf = "32 20 0:28 / /sys/fs/cgroup/perf_event rw - cgroup cgroup rw,perf_event\n"
	for name, c := range map[string]struct {
		mounts  string
		sampled bool
		path    string
	}{
		"version 2": {v2, true, "/docker/0123456789abcdef0123"}, "version 2, events of version 1": {v2 + perf, false, "/docker/0123456789abcdef0123"},
		"version 1": {v1 + v2, false, "/system.slice/cron.service"},
	} {
		groups, now := tree(t), time.Unix(1000, 0)
		clock := env.Clock{Read: func() time.Time { return now }}
		groups.clock, groups.version1 = clock, strings.Contains(c.mounts, "blkio")
		files := fstest.MapFS{"proc/7/cgroup": {Data: []byte("12:cpu:/\n5:blkio,x:/system.slice/cron.service\n0::/docker/0123456789abcdef0123\n")}}
		tasks := newTasks(groups, files, c.mounts, clock)
		want := number(groups, c.path)
		sampled := want
		if c.sampled {
			sampled = 4711
		}
		if got := tasks.group(7, 4711); got != sampled {
			t.Errorf("%s: %d, want %d", name, got, sampled)
		}
		if got := tasks.group(7, 0); got != want {
			t.Errorf("%s, without a number: %d, want %d", name, got, want)
		}
		files["proc/7/cgroup"] = &fstest.MapFile{Data: []byte("5:blkio:/docker\n0::/docker\n")}
		if got := tasks.group(7, 0); got != want {
			t.Errorf("%s: it is read each time", name)
		}
		now = now.Add(2 * time.Second)
		if got := tasks.group(7, 0); got != number(groups, "/docker") {
			t.Errorf("%s: of a process that was moved %d", name, got)
		}
		delete(files, "proc/7/cgroup")
		now = now.Add(2 * time.Second)
		if got := tasks.group(7, 0); got != number(groups, "/docker") {
			t.Errorf("%s: of a process that has ended %d", name, got)
		}
		if got := tasks.group(8, 0) + tasks.group(0, 0); got != 0 {
			t.Errorf("%s: nobody is in %d", name, got)
		}
	}
}
