package lab

import (
	"math/rand/v2"
	"os"

	"golang.org/x/sys/unix"
)

const (
	kibi = int64(1) << 10
	mebi = int64(1) << 20
)

// directory makes a directory for one device, removed when the test ends.
func directory(t T, parent string) string {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "loadline-lab-")
	if err != nil {
		t.Fatalf("the lab cannot make a directory: %v", err)
	}
	// Stay on one file system: what could not be unmounted must not be emptied.
	undo(t, "rm -rf --one-file-system "+quote(dir), nil)
	return dir
}

// memory makes such a directory on tmpfs, where no disk disturbs the device. It
// falls back to the temporary directory if there is no room for size bytes (a
// container's /dev/shm often has 64 MB), and logs that.
func memory(t T, size int64) string {
	t.Helper()
	const shm = "/dev/shm"
	var fs unix.Statfs_t
	if err := unix.Statfs(shm, &fs); err == nil && fs.Type == unix.TMPFS_MAGIC &&
		int64(fs.Bavail)*fs.Bsize > size+size/8 {
		return directory(t, shm)
	}
	t.Logf("no room for %d MiB on %s: the device is backed by a file on disk", size/mebi, shm)
	return directory(t, "")
}

// fill writes size bytes that are incompressible and nowhere zero.
func fill(t T, path string, size int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatalf("the lab cannot write a backing file: %v", err)
	}
	defer f.Close()
	source := rand.NewChaCha8([32]byte{})
	block := make([]byte, mebi)
	for left := size; left > 0; left -= int64(len(block)) {
		block = block[:min(left, mebi)]
		source.Read(block)
		if _, err := f.Write(block); err != nil {
			t.Fatalf("the lab cannot fill a backing file: %v", err)
		}
	}
	// On a disk, the write must be complete before anything is measured.
	if err := f.Sync(); err != nil {
		t.Fatalf("the lab cannot fill a backing file: %v", err)
	}
}

// hollow makes a sparse file of size bytes.
func hollow(t T, path string, size int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatalf("the lab cannot make a file: %v", err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatalf("the lab cannot size a file: %v", err)
	}
}
