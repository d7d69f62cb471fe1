package daemon

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// TestWhatAProcessLeavesEndsWithIt: a process that was started in the background keeps no pipe open, and
// what later has the number of a process that has ended is not touched.
func TestWhatAProcessLeavesEndsWithIt(t *testing.T) {
	e := env.OS()
	cmd := Account{UID: os.Geteuid(), GID: os.Getegid()}.Command(e, "/", "/bin/sh", "-c", "sleep 600 & echo $!")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout = in
	p, err := Launch(e.Clock, cmd)
	in.Close()
	if err != nil {
		t.Skipf("no shell: %v", err)
	}
	select {
	case <-p.End:
	case <-time.After(time.Minute):
		t.Fatal("the shell does not end")
	}
	if !p.Succeeded() {
		t.Errorf("the shell ended with %s", p.ProcessState)
	}
	// The end of the pipe is read when nobody holds it any more.
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_ = out.SetReadDeadline(time.Now().Add(time.Minute))
	if rest, err := lines.ReadString('\n'); os.IsTimeout(err) || rest != "" {
		left, _ := strconv.Atoi(strings.TrimSpace(line))
		_ = syscall.Kill(left, syscall.SIGKILL)
		t.Errorf("process %d is left: %q, %v", left, rest, err)
	}
	if !p.group.over {
		t.Error("its number may still be signalled")
	}
	p.Kill(syscall.SIGKILL)
}
