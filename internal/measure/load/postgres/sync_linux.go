package postgres

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncFilesystem writes what the filesystem of a directory still keeps in memory.
func syncFilesystem(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = unix.Syncfs(int(f.Fd()))
		_ = f.Close()
	}
}
