package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is a program that runs until it is told to end.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// start starts a program; its output goes to a log of that name.
func (d *driver) start(name string, command ...string) (*process, error) {
	f, err := os.OpenFile(filepath.Join(d.logs, "longhorn-"+name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &process{cmd: exec.Command(command[0], command[1:]...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = f, f
	// Its own children end with it.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		log.Printf("%s has ended: %v", name, p.cmd.Wait())
		close(p.done)
	}()
	return p, nil
}

// alive reports whether it runs.
func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// end ends it and its children, by force if it takes longer than gently.
func (p *process) end(gently time.Duration) {
	if p == nil {
		return
	}
	if p.alive() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
		select {
		case <-p.done:
		case <-time.After(gently):
		}
	}
	// Its children may have outlived it.
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}

// run runs a program to its end and returns its output.
func run(command ...string) (string, error) {
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	words := strings.TrimSpace(string(out))
	if err != nil {
		return words, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, words)
	}
	return words, nil
}

// wait polls until the condition is true, or the time is over.
func wait(limit time.Duration, so func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if so() {
			return true
		}
	}
	return so()
}
