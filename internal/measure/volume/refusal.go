package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// writeRefusal returns the error for a file that cannot be created or written at path.
func writeRefusal(path string, err error) *model.WorkerError {
	dir := path
	switch {
	case errors.Is(err, syscall.EROFS):
		return model.RefusedError(fmt.Sprintf("%s cannot be written: its filesystem is mounted read-only", dir),
			"name a directory on a writable filesystem: findmnt -O rw")
	case errors.Is(err, fs.ErrPermission):
		return model.RefusedError(fmt.Sprintf("%s cannot be written: %s", dir, env.Reason(err)),
			"name a directory that you may write, or run as a user who may")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return model.RefusedError(fmt.Sprintf("%s cannot be written: %s", dir, env.Reason(err)),
			"make space, or name a directory on another filesystem: df -h")
	}
	return model.RefusedError(fmt.Sprintf("%s cannot be written: %s", dir, env.Reason(err)), "")
}
