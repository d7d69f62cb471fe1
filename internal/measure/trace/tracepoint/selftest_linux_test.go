package tracepoint

import (
	"os/exec"
	"sync"
	"syscall"
	"testing"
)

// A thread that the self-test binds to a processor may have started a process that requested a signal
// at that thread's end: nbdkit 1.32 always does, and so does fio the way this program starts it. The
// self-test once ended such threads, and with them a device that others were measuring.
func TestSelfTestEndsNoOtherProcess(t *testing.T) {
	var all sync.WaitGroup
	children := make([]*exec.Cmd, 16)
	for i := range children {
		all.Go(func() {
			c := exec.Command("sleep", "60")
			c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
			if err := c.Start(); err != nil {
				t.Error(err)
				return
			}
			children[i] = c
		})
	}
	all.Wait()
	for range 2 {
		if err := SelfTest(); err != nil {
			t.Logf("the kernel: %v", err)
		}
	}
	for _, c := range children {
		if c == nil {
			continue
		}
		var status syscall.WaitStatus
		if pid, err := syscall.Wait4(c.Process.Pid, &status, syscall.WNOHANG, nil); err != nil || pid != 0 {
			t.Errorf("process %d ended (%v, %v)", c.Process.Pid, status, err)
			continue
		}
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}
