package daemon

import "syscall"

// DeathSignal changes the attributes of a process so that it gets a signal when we are gone.
func DeathSignal(a *syscall.SysProcAttr, s syscall.Signal) *syscall.SysProcAttr {
	a.Pdeathsig = s
	return a
}
