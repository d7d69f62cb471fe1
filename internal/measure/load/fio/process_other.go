//go:build unix && !linux

package fio

import "syscall"

// group makes fio the leader of its own process group.
func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
