package postgres

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncFilesystem writes out a directory's filesystem.
func syncFilesystem(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = unix.Syncfs(int(f.Fd()))
		_ = f.Close()
	}
}
