//go:build !linux

package postgres

import "os"

// setPipeSize does nothing: only Linux can.
func setPipeSize(*os.File, int) {}
