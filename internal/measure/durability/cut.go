package durability

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
)

// After the cut the writer keeps writing for at most noticeTime: a power switch may act after its
// command has returned. A writer without an acknowledged write for stallTime counts as having noticed
// the cut.
const (
	noticeTime = 6 * time.Second
	stallTime  = 3 * time.Second
)

// killTime bounds how long a killed process may take to end.
const killTime = 30 * time.Second

// cutWords describes the coming cut as it will be recorded, without secrets.
func (w *execution) cutWords() (what string, pid int, err error) {
	switch w.kind() {
	case model.CutCommand:
		return secrets.MaskText(w.CutCommand), 0, nil
	case model.CutProcess:
		pid, err := readPID(w.CutPID)
		if err != nil {
			return "", 0, err
		}
		name, gone := processName(pid)
		if gone {
			return "", 0, fmt.Errorf("there is no process %d", pid)
		}
		return strings.TrimSuffix(fmt.Sprintf("SIGKILL of process %d (%s)", pid, name), " ()"), pid, nil
	}
	return "SIGKILL of the writing process", 0, nil
}

// perform makes the cut while the writer is writing, and reports whether the writer noticed. An error
// means that the cut did not happen as requested.
func (w *execution) perform(ctx context.Context, c *child, number, pid int) (noticed bool, err error) {
	switch w.kind() {
	case model.CutCommand:
		err = w.run(ctx, w.CutCommand, fmt.Sprintf("cut-%d.log", number))
	case model.CutProcess:
		err = killProcess(ctx, w.env.Clock, pid)
	default:
		c.kill()
		<-c.ended
		return true, nil
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil && !c.gone() {
		return false, err
	}
	wait, cancel := context.WithTimeout(ctx, noticeTime)
	defer cancel()
	_ = poll(wait, w.env.Clock, func() (bool, error) {
		_, still, _, words := c.look()
		noticed = c.gone() || words != "" || still >= stallTime
		return noticed, nil
	})
	return noticed, errors.Join(err, ctx.Err())
}

// run runs a user's command in the shell. Its output goes to a file in the test's directory, not to a
// pipe, so that a server that it starts in the background neither blocks it nor loses its output.
func (w *execution) run(ctx context.Context, command, log string) error {
	f, err := w.openLog(log)
	if err != nil {
		return err
	}
	defer f.Close()
	cmd := w.env.Command(ctx, "sh", "-c", command)
	cmd.Stdout, cmd.Stderr = f, f
	// A separate process group, so that an interrupt also ends what the shell has started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err = cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	words := exit.Error()
	if text, err := io.ReadAll(io.NewSectionReader(f, 0, math.MaxInt64)); err == nil {
		if lines := strings.Split(strings.TrimSpace(string(text)), "\n"); lines[len(lines)-1] != "" {
			words += ": " + lines[len(lines)-1]
		}
	}
	return errors.New(words)
}

// openLog opens a file of that name for a command's output. If the test's directory is no longer there, nothing is written to what
// is there instead.
func (w *execution) openLog(name string) (*os.File, error) {
	if !w.log.movedFrom(w.path) {
		return os.OpenFile(filepath.Join(filepath.Dir(w.path), name), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	}
	f, err := os.CreateTemp(env.TempDir(), "loadline-log-")
	if err == nil {
		err = os.Remove(f.Name())
	}
	return f, err
}

// killProcess kills the process and returns when it has ended.
func killProcess(ctx context.Context, clock env.Clock, pid int) error {
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("process %d cannot be killed: %w", pid, err)
	}
	wait, cancel := context.WithTimeout(ctx, killTime)
	defer cancel()
	err := poll(wait, clock, func() (bool, error) {
		_, gone := processName(pid)
		return gone, nil
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("process %d is still there %s after SIGKILL", pid, killTime)
	}
	return err
}

// readPID parses a process ID, or reads it from the file of that name.
func readPID(word string) (int, error) {
	text := word
	if _, err := strconv.Atoi(word); err != nil {
		data, err := os.ReadFile(word)
		if err != nil {
			return 0, fmt.Errorf("%s is neither the number of a process nor a file that holds one: %s", word, env.Reason(err))
		}
		text = strings.TrimSpace(string(data))
	}
	pid, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s does not hold the number of a process: %.40q", word, text)
	}
	return pid, nil
}

// checkPID refuses a process that cannot or must not be killed.
func checkPID(word string, cuts int) error {
	pid, err := readPID(word)
	if err != nil {
		return model.RefusedError("--cut-pid "+err.Error(), "name the process by its number or by its pid file")
	}
	if pid <= 1 || pid == os.Getpid() || pid == os.Getppid() {
		return model.RefusedError(fmt.Sprintf("--cut-pid %d is not a process to kill: it is the system's first, loadline itself or what started it", pid), "name the server of the target: pgrep -a nbdkit")
	}
	if _, gone := processName(pid); gone {
		return model.RefusedError(fmt.Sprintf("--cut-pid: there is no process %d", pid), "find it: pgrep -a NAME")
	}
	if _, err := strconv.Atoi(word); err == nil && cuts > 1 {
		return model.RefusedError(fmt.Sprintf("process %d can be killed once, not %d times", pid, cuts), "name the file that holds the number of the restarted one: --cut-pid /run/NAME.pid")
	}
	return nil
}
