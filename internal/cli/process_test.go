package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/procfs"
)

// process is a loadline process, which a test can interrupt or kill.
type process struct {
	*exec.Cmd
	errs  bytes.Buffer
	ended chan struct{}
}

// started starts loadline and waits until a file matches the pattern.
func started(t *testing.T, until string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	p := &process{Cmd: exec.CommandContext(ctx, "loadline", args...), ended: make(chan struct{})}
	p.Stderr = &p.errs
	if err := p.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	go func() { _ = p.Wait(); close(p.ended) }()
	t.Cleanup(func() { cancel(); <-p.ended })
	for {
		if found, _ := filepath.Glob(until); len(found) > 0 {
			return p
		}
		select {
		case <-p.ended:
			t.Fatalf("it ended before there was %s: %s", until, p.errs.String())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// endings are the two ways in which a user ends a run early.
var endings = map[string]syscall.Signal{"interrupted": syscall.SIGINT, "killed": syscall.SIGKILL}

// end sends the signal and waits. An interrupted run must report that by its exit code.
func (p *process) end(t *testing.T, signal syscall.Signal) {
	t.Helper()
	_ = p.Process.Signal(signal)
	<-p.ended
	if code := p.ProcessState.ExitCode(); signal == syscall.SIGINT && code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, p.errs.String())
	}
}

// nothingLeft fails if an application run that the signal ended has left anything in a
// directory. After a kill the leftovers stay until cleanup removes them.
func nothingLeft(t *testing.T, signal syscall.Signal, dir string) {
	t.Helper()
	if signal == syscall.SIGKILL {
		if left, _ := filepath.Glob(filepath.Join(dir, ".loadline-*.app")); len(left) != 1 {
			t.Fatalf("a kill left %v", left)
		}
		if code, out, errs := runLoadline(t, "cleanup", dir); code != exitOK || !strings.Contains(out, "removed "+dir) {
			t.Errorf("cleanup: %d, %s%s", code, out, errs)
		}
	}
	empty(t, dir)
	if ids := procfs.ProcessesBelow(dir); len(ids) > 0 {
		t.Errorf("processes are left: %v", ids)
	}
}

// empty fails if anything is left in the directory.
func empty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		t.Errorf("%s is left", e.Name())
	}
}
