package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// run runs a program to its end; an error contains its output.
func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// daemon starts a program that outlives this one. dir/name.pid contains its PID,
// dir/name.log its output.
func daemon(dir, name string, command ...string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	// A child that has ended remains a process until it is waited for.
	go func() { _ = cmd.Wait() }()
	return os.WriteFile(filepath.Join(dir, name+".pid"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
}

// pid reads a PID that daemon (or a program itself) wrote below the cluster's directory; 0 for none. The file may be
// that of a cluster that was killed long ago, whose PID another process has now: ours work in the cluster's directory,
// or have it in their arguments.
func pid(file string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || !alive(n) {
		return 0
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(file)))
	if err != nil {
		return 0
	}
	command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", n))
	works, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", n))
	for _, dir := range []string{dir, filepath.Dir(filepath.Dir(file))} {
		if bytes.Contains(command, []byte(dir+"/")) || strings.HasPrefix(works, dir+"/") {
			return n
		}
	}
	return 0
}

func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

// end ends the process of a pid file: gently, then by force.
func end(file string) {
	p := pid(file)
	if p == 0 {
		return
	}
	_ = syscall.Kill(p, syscall.SIGTERM)
	if !wait(3*time.Second, func() bool { return !alive(p) }) {
		_ = syscall.Kill(p, syscall.SIGKILL)
		wait(2*time.Second, func() bool { return !alive(p) })
	}
	_ = os.Remove(file)
}

// wait polls until the condition is true, or the time is over.
func wait(limit time.Duration, so func() bool) bool {
	for deadline := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		if so() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// lastWords returns the last lines of the logs.
func (c *Cluster) lastWords() string {
	var b strings.Builder
	for _, file := range c.Logs() {
		data, err := os.ReadFile(file)
		if err != nil || len(data) == 0 {
			continue
		}
		fmt.Fprintf(&b, "--- %s\n%s\n", file, data[max(0, len(data)-1000):])
	}
	return b.String()
}

// ignoreMissing returns nil for the error of a missing file.
func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
