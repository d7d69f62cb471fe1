//go:build !linux

package postgres

import "os"

// shared is a server's shared memory outside its directory; it can be found only on Linux.
type shared struct{}

func sharedOf(*os.Root, int) *shared { return nil }

// RemoveShared does nothing here.
func RemoveShared(*os.Root) {}

func (*shared) remove(int) {}
