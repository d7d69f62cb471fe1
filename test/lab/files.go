package lab

import (
	"os"
	"path/filepath"
)

// ServerDir makes a directory that every user can enter, as a server's own user must, with a path
// short enough for a unix socket below it. It is removed when the test ends.
func ServerDir(t T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "srv")
	if err != nil {
		t.Fatalf("the lab cannot make a directory: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatalf("the lab cannot make a directory: %v", err)
	}
	return dir
}

// Sparse makes a file of size bytes in dir without any allocated blocks: reading
// it measures memory, not storage.
func Sparse(t T, dir string, size int64) string {
	t.Helper()
	path := filepath.Join(dir, "sparse")
	hollow(t, path, size)
	return path
}

// Filled makes a file of size bytes in dir that is fully written.
func Filled(t T, dir string, size int64) string {
	t.Helper()
	path := filepath.Join(dir, "filled")
	fill(t, path, size)
	return path
}
