package target

import (
	"errors"
	"io/fs"
	"syscall"
)

// reason is the kernel's words for a failure, without the call and the path
// that package os puts before them.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// isNotDirectory reports whether a component of a path is a file.
func isNotDirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
