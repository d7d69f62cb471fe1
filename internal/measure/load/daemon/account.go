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

// Account is the user that a server's programs run as: the caller, or, if that is root, a user that
// the server's package has created for the purpose. Servers refuse to run as root, or should not,
// and their load generators can start programs.
type Account struct {
	Name     string
	UID, GID int
	// Other is true if the account is not the caller.
	Other bool
	// Hidden are prefixes of the variables that are not passed on, because they concern other
	// servers; Set are variables that we set, as NAME=VALUE.
	Hidden, Set []string
	program     string
}

// Choose returns the account that a program runs as: the caller, or, if that is root, the first of
// the given users that exists on this machine. The program's name is used in messages.
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

// Command creates a command that runs as the account, in its own process group, and that dies with
// us. Hidden variables and the language are not passed on.
func (a Account) Command(e *env.Env, dir, path string, args ...string) *exec.Cmd {
	// We end it ourselves.
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

// pipeDelay is how long pipes may stay open after their process has ended.
const pipeDelay = time.Second

// MakeDirectory creates a directory that only the account can use.
func (a Account) MakeDirectory(in *os.Root, name string) error {
	if err := in.Mkdir(name, 0o700); err != nil {
		return err
	}
	return a.Give(in, name)
}

// Give makes the account the owner of a file or directory.
func (a Account) Give(in *os.Root, name string) error {
	if a.Other {
		return in.Lchown(name, a.UID, a.GID)
	}
	return nil
}

// Reach checks whether the account can enter a directory of its own: a parent directory may be
// closed to it.
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
