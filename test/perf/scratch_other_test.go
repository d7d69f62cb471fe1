//go:build !linux

package perf

import "testing"

// inMemory is a directory for the results of simulated storage.
func inMemory(t testing.TB) string { return t.TempDir() }
