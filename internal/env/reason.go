package env

import (
	"errors"
	"io/fs"
	"os"
)

// Reason is the kernel's words for a failure, without the call and the path that package
// os puts before them.
func Reason(err error) string {
	var path *fs.PathError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &call):
		return call.Err.Error()
	}
	return err.Error()
}
