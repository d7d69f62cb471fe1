package daemon

import "syscall"

// DeathSignal sets the signal that a process gets when its parent dies.
func DeathSignal(a *syscall.SysProcAttr, s syscall.Signal) *syscall.SysProcAttr {
	a.Pdeathsig = s
	return a
}
