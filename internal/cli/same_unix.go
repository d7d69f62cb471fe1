//go:build unix

package cli

import (
	"os"
	"syscall"
)

// sameDevice tells whether two device nodes stand for one device.
func sameDevice(a, b os.FileInfo) bool {
	sa, okA := a.Sys().(*syscall.Stat_t)
	sb, okB := b.Sys().(*syscall.Stat_t)
	return okA && okB && a.Mode()&os.ModeDevice != 0 && b.Mode()&os.ModeDevice != 0 && sa.Rdev == sb.Rdev
}
