//go:build !linux

package daemon

// awaitEnd does not wait: only on Linux does package unix know how to wait without reaping.
func awaitEnd(int) bool { return false }
