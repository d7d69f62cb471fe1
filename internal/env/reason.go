package env

import (
	"errors"
	"io/fs"
	"os"
)

// Reason returns the kernel's text for an error, without the system call and path that package os puts
// before it.
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
