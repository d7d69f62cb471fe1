//go:build !linux

package postgres

import "syscall"

// syncFilesystem writes out all filesystems.
func syncFilesystem(string) { _ = syscall.Sync() }
