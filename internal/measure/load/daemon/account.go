package daemon

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Account is who a server's programs run as: nobody but the caller, or, when that is root, whom
// its package has made for the purpose. Servers refuse to run as root, or should not, and what
// loads them can start programs.
type Account struct {
	Name     string
	UID, GID int
	// Other tells that it is not the caller.
	Other bool
	// Hidden begin the names of the variables that are not passed on, because they are about
	// other servers; Set are variables of ours, as NAME=VALUE.
	Hidden, Set []string
	program     string
}

// Choose says who a program runs as, whose name is for sentences: the caller, or, when that is
// root, the first of the users that this machine has.
func Choose(program string, users ...string) (Account, error) {
	if os.Geteuid() != 0 {
		return Account{Name: "you", UID: os.Geteuid(), GID: os.Getegid(), program: program}, nil
	}
	for _, name := range users {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil && uid != 0 {
			return Account{Name: name, UID: uid, GID: gid, Other: true, program: program}, nil
		}
	}
	return Account{}, model.RefusedError(fmt.Sprintf("%s does not run as root, and this machine has no user %s", program, strings.Join(users, ", and no user ")), "run loadline as another user")
}

// Command makes a process of the account's, in a group of its own, that dies with us. Hidden
// variables and the language are not passed on.
func (a Account) Command(e *env.Env, dir, path string, args ...string) *exec.Cmd {
	// Its end is ours to arrange.
	cmd := e.Command(context.Background(), path, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = DeathSignal(&syscall.SysProcAttr{Setpgid: true}, syscall.SIGKILL)
	if a.Other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.UID), Gid: uint32(a.GID)}
	}
	for _, v := range cmd.Environ() {
		name, _, _ := strings.Cut(v, "=")
		hidden := slices.ContainsFunc(a.Hidden, func(begin string) bool { return strings.HasPrefix(name, begin) })
		if !hidden && !strings.HasPrefix(name, "LC_") && name != "LANG" && name != "LANGUAGE" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(append(cmd.Env, "LC_ALL=C", env.StartedByUs), a.Set...)
	cmd.WaitDelay = pipeDelay
	return cmd
}

// pipeDelay is how long pipes may stay open after the end of their process.
const pipeDelay = time.Second

// MakeDirectory makes a directory that only the account can use.
func (a Account) MakeDirectory(in *os.Root, name string) error {
	if err := in.Mkdir(name, 0o700); err != nil {
		return err
	}
	return a.Give(in, name)
}

// Give makes a file or directory the account's.
func (a Account) Give(in *os.Root, name string) error {
	if a.Other {
		return in.Lchown(name, a.UID, a.GID)
	}
	return nil
}

// Reach looks whether the account can get into a directory that is its own: one above it may
// be closed.
func (a Account) Reach(e *env.Env, dir string) error {
	if !a.Other {
		return nil
	}
	cmd := a.Command(e, "/", "/bin/sh", "-c", `cd -- "$1"`, "sh", dir)
	if err := cmd.Run(); err == nil {
		return nil
	}
	target := filepath.Dir(filepath.Dir(dir))
	return model.RefusedError(fmt.Sprintf("the user %s, who %s runs as because you are root, cannot get into %s: a directory above it is closed to others", a.Name, a.program, target),
		"find it: namei -l "+safetext.ShellWord(target)+"   then name another directory, or open it: chmod o+x")
}
