package postgres

import (
	"os"

	"golang.org/x/sys/unix"
)

// setPipeSize enlarges a pipe. Failure is harmless: a smaller one also works.
func setPipeSize(f *os.File, size int) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETPIPE_SZ, size)
}
