package fio

import "syscall"

// group puts fio at the head of a process group of its own, and lets the kernel
// kill it when we die: no load may outlive the one who measures it.
func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
