//go:build !linux

package postgres

import "syscall"

// syncFilesystem writes what all filesystems still keep in memory.
func syncFilesystem(string) { _ = syscall.Sync() }
