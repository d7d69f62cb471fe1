//go:build unix && !linux

package fio

import "syscall"

// group puts fio at the head of a process group of its own.
func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
