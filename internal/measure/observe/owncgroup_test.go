package observe

import (
	"io/fs"
	"syscall"
	"testing"
	"testing/fstest"
)

// The number is that of the process's cgroup directory: in version 1's blkio hierarchy if that is
// mounted, and inside a container's namespace that of the mount itself.
func TestCgroupNumber(t *testing.T) {
	numbered := func(ino uint64) *fstest.MapFile {
		return &fstest.MapFile{Mode: 0o755 | fs.ModeDir, Sys: &syscall.Stat_t{Ino: ino}}
	}
	dirs := fstest.MapFS{
		"sys/fs/cgroup": numbered(1), "sys/fs/cgroup/a/b": numbered(7), "sys/fs/cgroup/blkio": numbered(20), "sys/fs/cgroup/blkio/x": numbered(21),
	}
	for name, c := range map[string]struct {
		self, mounts string
		want         uint64
	}{
		"version 2":              {"0::/a/b\n", "31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", 7},
		"a namespace":            {"0::/\n", "31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", 1},
		"version 1":              {"4:cpu,cpuacct:/x\n3:blkio:/x\n0::/a/b\n", "30 23 0:25 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", 21},
		"a container's mount":    {"3:blkio:/pods/x\n", "30 23 0:25 /pods/x /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n", 20},
		"nothing is mounted":     {"0::/a/b\n", "", 0},
		"what is not to be seen": {"0::/c\n", "31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			all := files(map[string]string{"proc/self/cgroup": c.self, "proc/self/mountinfo": c.mounts})
			for path, dir := range dirs {
				all[path] = dir
			}
			if got := cgroupNumber(all); got != c.want {
				t.Errorf("number %d, want %d", got, c.want)
			}
		})
	}
}
