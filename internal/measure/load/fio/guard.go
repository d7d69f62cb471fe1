package fio

import (
	"context"
	"io"
	"syscall"

	"github.com/loadline/loadline/internal/env"
)

// fio's jobs are separate processes, each in its own session (fio calls setsid), so neither the
// parent-death signal nor a signal to fio's group reaches them: if fio or this process is killed,
// they keep writing until their time is up. Jobs as threads would die with fio, but were measured
// to do about a fifth fewer I/Os on a RAM-backed device. What all of fio's processes share is the
// private directory in which they run, and they are found by it.

// guardScript waits for a line. If its input ends without one, this process is gone: the script
// kills all processes running in the private directory that have our mark in their environment, and removes the directory, unless
// somebody else has made one of that name. Killing needs /proc; elsewhere it can only remove the directory. Without grep, the mark
// cannot be found.
const guardScript = `
trap "" INT TERM HUP
read -r line && exit
for p in /proc/[0-9]*; do
	case "$(readlink "$p/cwd")" in "$1"|"$1 "*) grep -q "$2" "$p/environ" && kill -KILL "${p#/proc/}" ;; esac
done 2>/dev/null
[ ! -O "$1" ] || rm -rf -- "$1"`

// guard starts a shell that kills what is left of fio when this process ends, however abruptly. The
// returned function dismisses it. The directory need not exist yet. On a machine without a shell there is no guard.
func (d *Driver) guard(dir string) (dismiss func()) {
	sh, err := d.env.LookPath("sh")
	if err != nil {
		return func() {}
	}
	cmd := d.env.Command(context.Background(), sh, "-c", guardScript, "guard", dir, env.StartedByUs)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return func() {}
	}
	return func() {
		_, _ = io.WriteString(pipe, "done\n")
		_ = pipe.Close()
		_ = cmd.Wait()
	}
}
