//go:build !linux

package durability

import (
	"errors"
	"os"
	"syscall"
)

// direct does not exist on this system; the check reads through the page cache and reports that.
const direct = 0

func fdatasync(f *os.File) error { return f.Sync() }

func dropCache(*os.File) {}

func aligned(n int) []byte { return make([]byte, n) }

// bootID is unknown on this system, so a reboot cannot be told from a killed process.
func bootID() string { return "" }

func processName(pid int) (name string, gone bool) {
	return "", errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
