//go:build !linux

package postgres

import "syscall"

// mortal makes a process that leads a group of its own. Only Linux tells it that we are gone;
// elsewhere loadline cleanup removes what is left.
func mortal(s syscall.Signal) *syscall.SysProcAttr {
	return mortalBy(&syscall.SysProcAttr{Setpgid: true}, s)
}

func mortalBy(a *syscall.SysProcAttr, _ syscall.Signal) *syscall.SysProcAttr { return a }
