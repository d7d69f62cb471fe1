package etcd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// program is an etcd that was found.
type program struct{ path, version string }

var saidVersion = regexp.MustCompile(`(?m)^etcd Version: v?((\d+)\.[^\s]+)`)

// oldest is the first major version with this API.
const oldest = "3"

// install is a hint for installing etcd.
const install = "apt-get install etcd-server, or name a released binary: --etcd PATH"

// findProgram finds the etcd that the user named, or else the one on PATH, and asks for its version
// as the account that will run it.
func findProgram(ctx context.Context, e *env.Env, named string, a daemon.Account) (p program, err error) {
	if p.path = named; named == "" {
		if p.path, err = e.LookPath("etcd"); err != nil {
			return p, model.RefusedError("there is no etcd on this machine: no program of that name is on PATH", install)
		}
	}
	if p.path, err = filepath.Abs(p.path); err != nil {
		return p, err
	}
	if info, err := os.Stat(p.path); err != nil {
		return p, model.RefusedError(fmt.Sprintf("there is no etcd at %s: %s", p.path, env.Reason(err)), install)
	} else if info.IsDir() {
		return p, model.RefusedError(fmt.Sprintf("%s is a directory and not an etcd", p.path), "name the program in it: --etcd "+safetext.ShellWord(filepath.Join(p.path, "etcd")))
	}
	var said daemon.Tail
	cmd := a.Command(e, "/", p.path, "--version")
	cmd.Stdout, cmd.Stderr = &said, &said
	process, err := daemon.Launch(e.Clock, cmd)
	if err != nil {
		return p, model.RefusedError(fmt.Sprintf("%s cannot be run by %s: %s", p.path, a.Name, env.Reason(err)), "open it and the directories above it: chmod o+rx, or name another: --etcd PATH")
	}
	process.Finish(ctx, stopSignal, stopping)
	if err := ctx.Err(); err != nil {
		return p, err
	}
	m := saidVersion.FindStringSubmatch(said.String())
	if m == nil {
		return p, model.RefusedError(fmt.Sprintf("%s does not tell its version: %s", p.path, daemon.Quote(said.String(), fmt.Errorf("it ended with %s", process.ProcessState))), "try it yourself: "+safetext.ShellWord(p.path)+" --version")
	}
	if p.version = m[1]; m[2] != oldest {
		return p, model.RefusedError(fmt.Sprintf("%s is version %s, and Loadline knows version %s", p.path, p.version, oldest), "name another: --etcd PATH")
	}
	return p, nil
}
