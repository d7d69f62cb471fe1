package postgres

import "syscall"

// mortal makes a process that leads a group of its own and gets a signal when we are gone.
func mortal(s syscall.Signal) *syscall.SysProcAttr {
	return mortalBy(&syscall.SysProcAttr{Setpgid: true}, s)
}

// mortalBy changes the signal.
func mortalBy(a *syscall.SysProcAttr, s syscall.Signal) *syscall.SysProcAttr {
	a.Pdeathsig = s
	return a
}
