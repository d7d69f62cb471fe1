package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
)

const (
	// The sockets' names are those of hosts with ports, because that is how etcd's flags have
	// them: the server finds them in its working directory.
	clientSocket, peerSocket = "client:1", "peer:1"
	// longestSocket is sun_path (108 bytes on Linux) less its end mark.
	longestSocket = 107
	// starting is how long a new server may take until it answers, stopping until it is gone.
	starting, stopping = 60 * time.Second, 20 * time.Second
	// stopSignal ends a server whose data nobody wants any more.
	stopSignal = syscall.SIGKILL
)

// server is a member of our own, in a working directory: data in data/, its sockets in s/.
type server struct {
	env     *env.Env
	program program
	account daemon.Account
	// root is the working directory, dir its path; data and socket are directories in it.
	root              *os.Root
	dir, data, socket string
	log               daemon.Tail
	// pages asks for metrics and health.
	pages *http.Client

	mu      sync.Mutex
	process daemon.Process
	started bool
	// ended tells that we have ended it.
	ended bool
}

// own are the settings that a member of ours has, as NAME=VALUE; those of the user's come last
// and so prevail. Its database may be as large as etcd allows, and old revisions are dropped, so that
// no run ends at a quota.
func own(ask model.AppRequest) []string {
	return append([]string{"quota-backend-bytes=8589934592", "auto-compaction-mode=revision", "auto-compaction-retention=10000"}, ask.Set...)
}

// taken are the settings that are Loadline's own: where a member keeps its data and listens.
var taken = []string{"name", "data-dir", "wal-dir", "listen-client-urls", "listen-client-http-urls", "advertise-client-urls", "listen-peer-urls", "initial-advertise-peer-urls",
	"initial-cluster", "initial-cluster-state", "initial-cluster-token", "listen-metrics-urls", "config-file", "discovery", "discovery-srv", "log-outputs", "force-new-cluster"}

// settings are those of a member of ours, for the plan and the report; what is no setting is
// refused.
func settings(ask model.AppRequest) ([]model.Setting, error) {
	var list []model.Setting
	for i, one := range own(ask) {
		name, value, ok := strings.Cut(one, "=")
		switch {
		case !ok || name == "" || strings.HasPrefix(name, "-"):
			return nil, model.RefusedError(fmt.Sprintf("--set %q is no setting", one), "write NAME=VALUE, such as --set snapshot-count=100000")
		case slices.Contains(taken, name):
			return nil, model.RefusedError(fmt.Sprintf("--set %s cannot be given: where the member of a run keeps its data and listens is for Loadline to say", one), "")
		}
		source := "Loadline"
		if i >= len(own(model.AppRequest{})) {
			source = "command line"
		}
		list = slices.DeleteFunc(list, func(s model.Setting) bool { return s.Name == name })
		list = append(list, model.Setting{Name: name, Value: value, Source: source})
	}
	return list, nil
}

// makeServer makes the directories of a member in a working directory that nothing is in but its lock.
func makeServer(e *env.Env, p program, a daemon.Account, workDir *os.Root) (*server, error) {
	dir := workDir.Name()
	s := &server{env: e, program: p, account: a, root: workDir, dir: dir, data: filepath.Join(dir, "data"), socket: filepath.Join(dir, "s")}
	path := filepath.Join(s.socket, clientSocket)
	if len(path) > longestSocket {
		return nil, model.RefusedError(fmt.Sprintf("the path of the server's socket would be %d bytes long (%s), and unix sockets allow %d", len(path), path, longestSocket),
			"name the directory by a shorter path: a symbolic link does, such as ln -s DIR /srv/e && loadline app etcd /srv/e/.")
	}
	s.pages = &http.Client{Transport: &http.Transport{DialContext: dial(path), DisableKeepAlives: true}}
	for _, made := range []string{s.data, s.socket} {
		if err := a.MakeDirectory(workDir, filepath.Base(made)); err != nil {
			return nil, model.RefusedError(fmt.Sprintf("%s cannot be made: %s", made, env.Reason(err)), "")
		}
	}
	return s, a.Reach(e, s.data)
}

// clientPath is the socket that clients connect to.
func (s *server) clientPath() string { return filepath.Join(s.socket, clientSocket) }

// arguments are the server's. What they name is beside the directory that it is started in, whatever
// becomes of the names above.
func (s *server) arguments(set []model.Setting) []string {
	const name = "loadline"
	args := []string{"--name=" + name, "--data-dir=" + filepath.Join("..", filepath.Base(s.data)), "--listen-client-urls=unix://" + clientSocket, "--advertise-client-urls=unix://" + clientSocket,
		"--listen-peer-urls=unix://" + peerSocket, "--initial-advertise-peer-urls=unix://" + peerSocket, "--initial-cluster=" + name + "=unix://" + peerSocket,
		"--enable-grpc-gateway=false"}
	for _, one := range set {
		args = append(args, "--"+one.Name+"="+one.Value)
	}
	return args
}

// start starts the server and waits until it is healthy, which takes a leader and a commit.
func (s *server) start(ctx context.Context, set []model.Setting) error {
	cmd := s.account.Command(s.env, s.socket, s.program.path, s.arguments(set)...)
	cmd.Stdout, cmd.Stderr = &s.log, &s.log
	p, err := daemon.Launch(s.env.Clock, cmd)
	if err != nil {
		return model.BrokenError(fmt.Sprintf("etcd could not be started: %v", err), "")
	}
	if err := p.Within(s.root, filepath.Base(s.socket)); err != nil {
		return err
	}
	s.mu.Lock()
	s.process, s.started = p, true
	s.mu.Unlock()
	limit := s.env.Clock.After(starting)
	for {
		asked, cancel := context.WithTimeout(ctx, time.Second)
		body, err := s.get(asked, "/health")
		cancel()
		if err == nil {
			return body.Close()
		}
		select {
		case <-p.End:
			return s.failed(ctx, "etcd did not start")
		case <-limit:
			return errors.Join(model.BrokenError(fmt.Sprintf("etcd was not healthy within %s of its start: %s", starting, s.said()), ""), s.stop())
		case <-ctx.Done():
			return errors.Join(ctx.Err(), s.stop())
		case <-s.env.Clock.After(20 * time.Millisecond):
		}
	}
}

// said is the end of the server's log, for sentences.
func (s *server) said() string { return daemon.LastLines(s.log.String(), 3) }

// noSpace is what a program says when a disk is full.
const noSpace = "no space left on device"

// failed makes a sentence of a server that went wrong.
func (s *server) failed(ctx context.Context, what string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if strings.Contains(s.log.String(), noSpace) {
		return model.BrokenError(fmt.Sprintf("%s: the filesystem of %s is full", what, filepath.Dir(s.dir)), "free some space, or name another directory")
	}
	return model.BrokenError(fmt.Sprintf("%s; the end of its log: %s", what, s.said()), "")
}

// gone tells, in a sentence, that the server has ended though nobody asked it to; "" while it runs.
func (s *server) gone() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started || s.ended {
		return ""
	}
	select {
	case <-s.process.End:
		return fmt.Sprintf("etcd ended in the middle (%s); the end of its log: %s", s.process.ProcessState, s.said())
	default:
		return ""
	}
}

// stop ends the server at once. Its data are not to be used any more.
func (s *server) stop() error {
	s.mu.Lock()
	p, running := s.process, s.started && !s.ended
	s.ended = true
	s.mu.Unlock()
	s.pages.CloseIdleConnections()
	if !running {
		return nil
	}
	_ = syscall.Kill(-p.Process.Pid, stopSignal)
	select {
	case <-p.End:
		return nil
	case <-s.env.Clock.After(stopping):
		return model.BrokenError(fmt.Sprintf("etcd (process %d) does not end, not even by a kill: the kernel waits for the storage", p.Process.Pid), "")
	}
}
