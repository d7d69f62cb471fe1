package postgres

import (
	"os"

	"golang.org/x/sys/unix"
)

// setPipeSize makes a pipe larger. A smaller one does as well.
func setPipeSize(f *os.File, size int) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETPIPE_SZ, size)
}
