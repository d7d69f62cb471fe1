//go:build !linux

package postgres

import "syscall"

// parentDeathSignal makes a process that leads a group of its own. Only Linux tells it that we are gone;
// elsewhere loadline cleanup removes what is left.
func parentDeathSignal(s syscall.Signal) *syscall.SysProcAttr {
	return setParentDeathSignal(&syscall.SysProcAttr{Setpgid: true}, s)
}

func setParentDeathSignal(a *syscall.SysProcAttr, _ syscall.Signal) *syscall.SysProcAttr { return a }
