package daemon

import (
	"errors"

	"golang.org/x/sys/unix"
)

// awaitEnd waits for the end of a child without reaping it, and reports whether it did.
func awaitEnd(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
