package daemon

import (
	"context"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// Process is a program that was started; End is closed after it has ended.
type Process struct {
	*exec.Cmd
	End   <-chan struct{}
	clock env.Clock
	group *group
}

// group is the process group of a program.
type group struct {
	mu sync.Mutex
	// over is true from when the program has ended on: its number may be another process's by then, and
	// the leader's of another group.
	over bool
}

// end kills what a program that has ended leaves in its group.
func (g *group) end(id int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = syscall.Kill(-id, syscall.SIGKILL)
	g.over = true
}

// Launch starts a command, which leads its own process group; what is left of the group when the command
// ends is killed. The thread that starts a child must live as long as the child: Linux sends the
// parent-death signal when that thread ends.
func Launch(clock env.Clock, cmd *exec.Cmd) (Process, error) {
	started, end, g := make(chan error, 1), make(chan struct{}), &group{}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		// Until Wait has reaped the process, nothing else can have its number.
		held := awaitEnd(cmd.Process.Pid)
		if held {
			g.end(cmd.Process.Pid)
		}
		_ = cmd.Wait()
		if !held {
			g.end(cmd.Process.Pid)
		}
		close(end)
	}()
	return Process{cmd, end, clock, g}, <-started
}

// Kill sends a signal to the process and the rest of its group, unless it has ended.
func (p Process) Kill(s syscall.Signal) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if !p.group.over {
		_ = syscall.Kill(-p.Process.Pid, s)
	}
}

// Finish waits for the end of a process. If the context is done first, it sends the signal, and
// kills the process after grace.
func (p Process) Finish(ctx context.Context, ask syscall.Signal, grace time.Duration) {
	select {
	case <-p.End:
		return
	case <-ctx.Done():
	}
	p.Kill(ask)
	select {
	case <-p.End:
	case <-p.clock.After(grace):
		p.Kill(syscall.SIGKILL)
		<-p.End
	}
}

// Ended reports whether a process has ended.
func (p Process) Ended() bool {
	select {
	case <-p.End:
		return true
	default:
		return false
	}
}

// Succeeded reports whether a process that has ended was successful.
func (p Process) Succeeded() bool { return p.ProcessState != nil && p.ProcessState.Success() }
