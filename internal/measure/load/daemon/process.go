package daemon

import (
	"context"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// Process is a program that was started; End is closed after it has ended.
type Process struct {
	*exec.Cmd
	End   <-chan struct{}
	clock env.Clock
}

// Launch starts a command. The thread that starts a child must live as long as the child:
// Linux sends the parent-death signal when that thread ends.
func Launch(clock env.Clock, cmd *exec.Cmd) (Process, error) {
	started, end := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(end)
		}
	}()
	return Process{cmd, end, clock}, <-started
}

// Finish waits for the end of a process. If the context is done first, it sends the signal, and
// kills the process after grace.
func (p Process) Finish(ctx context.Context, ask syscall.Signal, grace time.Duration) {
	select {
	case <-p.End:
		return
	case <-ctx.Done():
	}
	_ = syscall.Kill(-p.Process.Pid, ask)
	select {
	case <-p.End:
	case <-p.clock.After(grace):
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
		<-p.End
	}
}

// Succeeded reports whether a process that has ended was successful.
func (p Process) Succeeded() bool { return p.ProcessState != nil && p.ProcessState.Success() }
