package target

import (
	"errors"
	"syscall"
)

// isNotDirectory reports whether err means that a component of a path is a file.
func isNotDirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
