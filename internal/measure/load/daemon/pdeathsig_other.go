//go:build !linux

package daemon

import "syscall"

// DeathSignal changes nothing: only Linux has a parent-death signal; elsewhere loadline cleanup
// removes what is left.
func DeathSignal(a *syscall.SysProcAttr, _ syscall.Signal) *syscall.SysProcAttr { return a }
