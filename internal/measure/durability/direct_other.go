//go:build !linux

package durability

import (
	"errors"
	"os"
	"syscall"
)

// direct does not exist here; the check then reads through the page cache, and says so.
const direct = 0

func fdatasync(f *os.File) error { return f.Sync() }

func dropCache(*os.File) {}

func aligned(n int) []byte { return make([]byte, n) }

// bootID is not known here, so a reboot cannot be told from a killed process.
func bootID() string { return "" }

func processName(pid int) (name string, gone bool) {
	return "", errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
