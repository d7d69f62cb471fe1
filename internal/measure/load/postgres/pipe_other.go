//go:build !linux

package postgres

import "os"

// setPipeSize does nothing: only Linux supports it.
func setPipeSize(*os.File, int) {}
