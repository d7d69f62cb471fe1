//go:build !unix

package ssh

import "os/exec"

// apart does nothing on systems without process groups.
func apart(*exec.Cmd) {}
