package postgres

import "syscall"

// parentDeathSignal makes a process that leads a group of its own and gets a signal when we are gone.
func parentDeathSignal(s syscall.Signal) *syscall.SysProcAttr {
	return setParentDeathSignal(&syscall.SysProcAttr{Setpgid: true}, s)
}

// setParentDeathSignal changes the signal.
func setParentDeathSignal(a *syscall.SysProcAttr, s syscall.Signal) *syscall.SysProcAttr {
	a.Pdeathsig = s
	return a
}
