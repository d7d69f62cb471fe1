package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// account is who PostgreSQL's programs run as: nobody but the caller, or, when that is root,
// whom the package has made for the purpose. initdb and postgres refuse to run as root, and
// scripts of pgbench can start programs.
type account struct {
	name     string
	uid, gid int
	// other tells that it is not the caller.
	other bool
}

func chooseAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{name: "you", uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil && uid != 0 {
			return account{name: name, uid: uid, gid: gid, other: true}, nil
		}
	}
	return account{}, model.RefusedError("PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody", "run loadline as another user")
}

// command makes a process of the account's, in a group of its own, that dies with us. What
// the environment says to libpq and the server is not passed on: it is about other servers.
func (a account) command(e *env.Env, dir, path string, args ...string) *exec.Cmd {
	// Its end is ours to arrange.
	cmd := e.Command(context.Background(), path, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = parentDeathSignal(syscall.SIGKILL)
	if a.other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	for _, v := range cmd.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "PG") && !strings.HasPrefix(name, "LC_") && name != "LANG" && name != "LANGUAGE" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "PGCONNECT_TIMEOUT=10")
	cmd.WaitDelay = pipeDelay
	return cmd
}

// pipeDelay is how long pipes may stay open after the end of their process.
const pipeDelay = time.Second

// makeDirectory makes a directory that only the account can use.
func (a account) makeDirectory(in *os.Root, name string) error {
	if err := in.Mkdir(name, 0o700); err != nil {
		return err
	}
	return a.give(in, name)
}

// give makes a file or directory the account's.
func (a account) give(in *os.Root, name string) error {
	if a.other {
		return in.Lchown(name, a.uid, a.gid)
	}
	return nil
}

// reach looks whether the account can get into a directory that is its own: one above it may
// be closed.
func (a account) reach(e *env.Env, dir string) error {
	if !a.other {
		return nil
	}
	cmd := a.command(e, "/", "/bin/sh", "-c", `cd -- "$1"`, "sh", dir)
	if err := cmd.Run(); err == nil {
		return nil
	}
	target := filepath.Dir(filepath.Dir(dir))
	return model.RefusedError(fmt.Sprintf("the user %s, who PostgreSQL runs as because you are root, cannot get into %s: a directory above it is closed to others", a.name, target),
		"find it: namei -l "+safetext.ShellWord(target)+"   then name another directory, or open it: chmod o+x")
}

// process is a program that was started; end is closed after its end.
type process struct {
	*exec.Cmd
	end   <-chan struct{}
	clock env.Clock
}

// launch starts a command. The thread that starts a child must live as long as the child:
// Linux sends the parent-death signal when that thread ends.
func launch(clock env.Clock, cmd *exec.Cmd) (process, error) {
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
	return process{cmd, end, clock}, <-started
}

// finish waits for the end of a process; when the context is done first, it is ended: asked
// with the signal, killed after grace.
func (p process) finish(ctx context.Context, ask syscall.Signal, grace time.Duration) {
	select {
	case <-p.end:
		return
	case <-ctx.Done():
	}
	_ = syscall.Kill(-p.Process.Pid, ask)
	select {
	case <-p.end:
	case <-p.clock.After(grace):
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
		<-p.end
	}
}

// succeeded tells whether a process that has ended did so well.
func (p process) succeeded() bool { return p.ProcessState != nil && p.ProcessState.Success() }
