package fio

import "syscall"

// group makes fio the leader of its own process group, and lets the kernel kill it when we die: no
// load may outlive the process that measures it.
func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
