//go:build unix

package ssh

import (
	"os/exec"
	"syscall"
)

// apart keeps an interrupt that is typed at the terminal from ending the connection: the engine decides
// what it means, and tells the worker.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
