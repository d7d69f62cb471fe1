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
	"github.com/loadline/loadline/internal/model/safetext"
)

const (
	// The sockets have names of the form host:port, as etcd's flags require: the server finds them
	// in its working directory.
	clientSocket, peerSocket = "client:1", "peer:1"
	// longestSocket is sun_path (108 bytes on Linux) less its terminating NUL.
	longestSocket = 107
	// starting is how long a new server may take to answer, stopping how long it may take to end.
	starting, stopping = 60 * time.Second, 20 * time.Second
	// stopSignal ends a server whose data are no longer needed.
	stopSignal = syscall.SIGKILL
)

// server is a member that we started, in a working directory: data in data/, its sockets in s/.
type server struct {
	env     *env.Env
	program program
	account daemon.Account
	// root is the working directory, dir its path; data and socket are directories in it.
	root              *os.Root
	dir, data, socket string
	log               daemon.Tail
	// pages fetches metrics and health.
	pages *http.Client

	mu      sync.Mutex
	process daemon.Process
	started bool
	// ended is true if we have ended it.
	ended bool
}

// own returns the settings of a member that we start, as NAME=VALUE; the user's come last and so
// take precedence. Its database may be as large as etcd allows, and revisions older than a minute are dropped, so
// that no run ends because of a quota: two minutes of 7,000 puts a second are 3.5 GB of it. Nobody speaks HTTP with JSON to it, which its gateway translates.
func own(ask model.AppRequest) []string {
	return append([]string{"quota-backend-bytes=8589934592", "auto-compaction-mode=periodic", "auto-compaction-retention=1m", "enable-grpc-gateway=false"}, ask.Set...)
}

// taken are the settings that only Loadline may set: where a member keeps its data and listens.
var taken = []string{"name", "data-dir", "wal-dir", "listen-client-urls", "listen-client-http-urls", "advertise-client-urls", "listen-peer-urls", "initial-advertise-peer-urls",
	"initial-cluster", "initial-cluster-state", "initial-cluster-token", "listen-metrics-urls", "config-file", "discovery", "discovery-srv", "log-outputs", "force-new-cluster"}

// settings returns the settings of a member that we start, for the plan and the report; it refuses
// anything that is not a setting.
func settings(ask model.AppRequest) ([]model.Setting, error) {
	var list []model.Setting
	for i, one := range own(ask) {
		name, value, ok := strings.Cut(one, "=")
		switch {
		case !ok || name == "" || strings.HasPrefix(name, "-"):
			return nil, model.RefusedError(fmt.Sprintf("--set %q is not a setting", one), "write NAME=VALUE, such as --set snapshot-count=100000")
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

// makeServer creates a member's directories in a working directory that contains nothing but its lock.
func makeServer(e *env.Env, p program, a daemon.Account, workDir *os.Root) (*server, error) {
	dir := workDir.Name()
	s := &server{env: e, program: p, account: a, root: workDir, dir: dir, data: filepath.Join(dir, "data"), socket: filepath.Join(dir, "s")}
	path := filepath.Join(s.socket, clientSocket)
	if len(path) > longestSocket {
		return nil, model.RefusedError(fmt.Sprintf("the path of the server's socket would be %d bytes long (%s), and unix sockets allow %d", len(path), path, longestSocket),
			"name a directory with a shorter path on the same filesystem")
	}
	s.pages = &http.Client{Transport: &http.Transport{DialContext: dial(path), DisableKeepAlives: true}}
	for _, made := range []string{s.data, s.socket} {
		if err := a.MakeDirectory(workDir, filepath.Base(made)); err != nil {
			return nil, model.RefusedError(fmt.Sprintf("%s cannot be made: %s", made, env.Reason(err)), "")
		}
	}
	return s, a.Reach(e, s.data)
}

// clientPath returns the socket that clients connect to.
func (s *server) clientPath() string { return filepath.Join(s.socket, clientSocket) }

// arguments returns the server's arguments. Its paths are relative to the directory that it is
// started in, so they stay correct if a directory above is renamed.
func (s *server) arguments(set []model.Setting) []string {
	const name = "loadline"
	args := []string{"--name=" + name, "--data-dir=" + filepath.Join("..", filepath.Base(s.data)), "--listen-client-urls=unix://" + clientSocket, "--advertise-client-urls=unix://" + clientSocket,
		"--listen-peer-urls=unix://" + peerSocket, "--initial-advertise-peer-urls=unix://" + peerSocket, "--initial-cluster=" + name + "=unix://" + peerSocket}
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
			return errors.Join(s.unhealthy(), s.stop())
		case <-ctx.Done():
			return errors.Join(ctx.Err(), s.stop())
		case <-s.env.Clock.After(20 * time.Millisecond):
		}
	}
}

// unhealthy is the error of a server that runs and does not become healthy.
func (s *server) unhealthy() error {
	said := s.said()
	if said == "" {
		said = "it has printed nothing"
	}
	return model.BrokenError(fmt.Sprintf("etcd was not healthy within %s of its start: %s", starting, said), "check the program that --etcd names, and whether the storage answers: loadline doctor "+safetext.ShellWord(filepath.Dir(s.dir)))
}

// said returns the end of the server's log, for messages.
func (s *server) said() string { return lastRecords(s.log.String()) }

// noSpace is the error that a program prints when a disk is full.
const noSpace = "no space left on device"

// failed returns a message for a server failure.
func (s *server) failed(ctx context.Context, what string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if strings.Contains(s.log.String(), noSpace) {
		return model.BrokenError(fmt.Sprintf("%s: the filesystem of %s is full", what, filepath.Dir(s.dir)), "free some space, or name another directory")
	}
	return model.BrokenError(fmt.Sprintf("%s; the end of its log: %s", what, s.said()), "")
}

// gone returns a message if the server has ended without being asked to; "" while it runs.
func (s *server) gone() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.started || s.ended || !s.process.Ended():
		return ""
	case strings.Contains(s.log.String(), noSpace):
		return fmt.Sprintf("etcd ended in the middle, because the filesystem of %s is full: free some space", filepath.Dir(s.dir))
	}
	return fmt.Sprintf("etcd ended in the middle (%s); the end of its log: %s", s.process.ProcessState, s.said())
}

// stop ends the server at once. Its data must not be used afterwards.
func (s *server) stop() error {
	s.mu.Lock()
	p, running := s.process, s.started && !s.ended
	s.ended = true
	s.mu.Unlock()
	s.pages.CloseIdleConnections()
	if !running {
		return nil
	}
	p.Kill(stopSignal)
	select {
	case <-p.End:
		return nil
	case <-s.env.Clock.After(stopping):
		return model.BrokenError(fmt.Sprintf("etcd (process %d) does not end, not even by a kill: the kernel waits for the storage", p.Process.Pid), "")
	}
}
