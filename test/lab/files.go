package lab

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Sparse makes a file of size bytes in dir without any block of its own: reading
// it measures memory, not storage.
func Sparse(t T, dir string, size int64) string {
	t.Helper()
	path := filepath.Join(dir, "sparse")
	hollow(t, path, size)
	return path
}

// Fallocated makes a file of size bytes in dir whose blocks are reserved and
// unwritten: to read it also measures memory.
func Fallocated(t T, dir string, size int64) string {
	t.Helper()
	path := filepath.Join(dir, "fallocated")
	f, err := os.Create(path)
	if err != nil {
		t.Fatalf("the lab cannot make a file: %v", err)
	}
	defer f.Close()
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
		Unavailable(t, "%s cannot reserve blocks: %v", dir, err)
	}
	return path
}

// Filled makes a file of size bytes in dir that is written throughout.
func Filled(t T, dir string, size int64) string {
	t.Helper()
	path := filepath.Join(dir, "filled")
	fill(t, path, size)
	return path
}
