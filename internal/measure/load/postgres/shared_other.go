//go:build !linux

package postgres

import "os"

// shared is what a server keeps in memory outside of its directory; only Linux tells.
type shared struct{}

func sharedOf(*os.Root, int) *shared { return nil }

// RemoveShared does nothing here.
func RemoveShared(*os.Root) {}

func (*shared) remove(int) {}
