package perf

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// inMemory is a directory for the results of simulated storage, in memory if there is room: thousands of runs save every repeat, and
// would keep the disk busy that other tests measure at the same time.
func inMemory(t testing.TB) string {
	const (
		memory = "/dev/shm"
		// A container often has 64 MB.
		room = 1 << 30
	)
	var fs unix.Statfs_t
	if err := unix.Statfs(memory, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC || int64(fs.Bavail)*fs.Bsize < room {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "loadline-perf-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
