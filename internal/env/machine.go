package env

import (
	"io/fs"
	"os"
)

// TempDir returns the directory for temporary files, which a variable may name (os.TempDir).
func TempDir() string { return os.TempDir() }

// Hostname returns the name of this machine; "" if it is unknown.
func Hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// StreamOf returns the stream of this process, standard output or error, that leads to a file; nil if none
// does.
func StreamOf(file fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if own, err := f.Stat(); err == nil && os.SameFile(own, file) {
			return f
		}
	}
	return nil
}
