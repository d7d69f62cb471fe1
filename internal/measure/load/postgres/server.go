package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
)

const (
	// port only appears in the socket's name: the server listens on no network.
	port = "5432"
	// longestSocket is sun_path (108 bytes on Linux) less its terminating NUL.
	longestSocket = 107
	// starting is how long a new server may take to answer, stopping how long it may take to end.
	starting, stopping = 60 * time.Second, 20 * time.Second
	// dying is how long a server may take to end after it has lost its clients, and asksEvery how often it is asked
	// meanwhile whether it still answers.
	dying, asksEvery = 15 * time.Second, 500 * time.Millisecond
	// superuser and database are the names that we use in a server that we start.
	superuser, database = "postgres", "loadline"
)

// socketPath returns the path of the socket of a server in a working directory.
func socketPath(workDir string) string {
	return filepath.Join(workDir, "s", ".s.PGSQL."+port)
}

// server is a server that we started, in a working directory: data in data/, its socket in s/.
type server struct {
	env      *env.Env
	programs programs
	account  daemon.Account
	// root is the working directory, dir its path; data and socket are directories in it.
	root   *os.Root
	dir    string
	data   string
	socket string
	log    daemon.Tail
	// exists is set for an existing server, which is not ours: process is then the session that
	// holds our schema in it, root a directory for pgbench's files.
	exists *existing
	// wal is the log directory on a separate volume; nil if it is in data.
	wal *logDir
	// far describes how pgbench connects from another pod; nil if it runs beside the server.
	far *far
	// remote is true if the server is on another machine and programs find it by their variables.
	remote bool

	mu      sync.Mutex
	process daemon.Process
	shared  *shared
	started bool
	// ended is true if we have asked it to end.
	ended bool
}

// checkSocket refuses a directory whose path is too long for a socket.
func checkSocket(workDir string) error {
	if path := socketPath(workDir); len(path) > longestSocket {
		return model.RefusedError(fmt.Sprintf("the path of the server's socket would be %d bytes long (%s), and unix sockets allow %d", len(path), path, longestSocket),
			"name a directory with a shorter path on the same filesystem")
	}
	return nil
}

// initialise creates a new cluster in a working directory that contains nothing but its lock.
func initialise(ctx context.Context, e *env.Env, p programs, a daemon.Account, workDir *os.Root, wal *logDir) (*server, error) {
	dir := workDir.Name()
	s := &server{env: e, programs: p, account: a, root: workDir, dir: dir, wal: wal, data: filepath.Join(dir, "data"), socket: filepath.Join(dir, "s")}
	if err := checkSocket(dir); err != nil {
		return nil, err
	}
	for _, made := range []string{s.data, s.socket} {
		if err := a.MakeDirectory(workDir, filepath.Base(made)); err != nil {
			return nil, model.RefusedError(fmt.Sprintf("%s cannot be made: %s", made, env.Reason(err)), "")
		}
	}
	if err := a.Reach(e, s.data); err != nil {
		return nil, err
	}
	options, err := wal.make(e, a)
	if err != nil {
		return nil, err
	}
	// What initdb writes is flushed together with the data that follow. What it leaves when it
	// fails is removed with the working directory; initdb itself would remove it by name.
	data, _ := s.names()
	options = append([]string{"-D", data, "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "--no-clean", "--no-instructions"}, options...)
	said, err := s.runIn(ctx, s.data, p.path("initdb"), options...)
	if err != nil {
		// The server that initdb starts leaves its shared memory if it crashes, as on a full disk.
		RemoveShared(workDir)
		return nil, s.failed(ctx, "initdb could not make a cluster", said, err)
	}
	return s, nil
}

// run runs a program as the account, in the socket's directory, and returns its output.
func (s *server) run(ctx context.Context, path string, args ...string) (string, error) {
	return s.runIn(ctx, s.socket, path, args...)
}

// runIn is run in another directory of the working directory.
func (s *server) runIn(ctx context.Context, in, path string, args ...string) (string, error) {
	dir, done, err := s.place(in)
	if err != nil {
		return "", err
	}
	defer done()
	return runAs(ctx, s.env, s.account, dir, path, args...)
}

func runAs(ctx context.Context, e *env.Env, a daemon.Account, dir, path string, args ...string) (string, error) {
	cmd := a.Command(e, dir, path, args...)
	var out, errs daemon.Tail
	cmd.Stdout, cmd.Stderr = &out, &errs
	p, err := daemon.Launch(e.Clock, cmd)
	if err != nil {
		return "", err
	}
	p.Finish(ctx, syscall.SIGTERM, time.Second)
	switch {
	case ctx.Err() != nil:
		return errs.String(), ctx.Err()
	case !p.Succeeded():
		return errs.String(), fmt.Errorf("it ended with %s", p.ProcessState)
	}
	return out.String(), nil
}

// noSpace is the error that every program prints when a disk is full.
const noSpace = "No space left on device"

// failed returns a message for a program that failed.
func (s *server) failed(ctx context.Context, what, said string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if strings.Contains(said, noSpace) || strings.Contains(s.log.String(), noSpace) {
		return model.BrokenError(fmt.Sprintf("%s: the filesystem of %s is full", what, s.full()),
			"free some space, or fill it with less: --scale 10")
	}
	return model.BrokenError(fmt.Sprintf("%s: %s", what, daemon.Quote(said, err)), "")
}

// start starts the server with settings in addition to those of the cluster, and waits until it answers.
func (s *server) start(ctx context.Context, set []string) error {
	data, socket := s.names()
	args := []string{"-D", data, "-p", port}
	for _, one := range append([]string{"listen_addresses=" + s.far.listens(), "unix_socket_directories=" + socket, "unix_socket_permissions=0700"}, set...) {
		args = append(args, "-c", one)
	}
	dir, done, err := s.place(s.data)
	if err != nil {
		return err
	}
	defer done()
	cmd := s.account.Command(s.env, dir, s.programs.path("postgres"), args...)
	// SIGQUIT is an immediate shutdown, which leaves no shared memory behind; the data are removed anyway.
	daemon.DeathSignal(cmd.SysProcAttr, syscall.SIGQUIT)
	cmd.Stdout, cmd.Stderr = &s.log, &s.log
	cmd.WaitDelay = stopping
	p, err := daemon.Launch(s.env.Clock, cmd)
	if err != nil {
		return model.BrokenError(fmt.Sprintf("the server could not be started: %v", err), "")
	}
	if err := p.Within(s.root, filepath.Base(s.data)); err != nil {
		return err
	}
	s.mu.Lock()
	s.process, s.started = p, true
	s.mu.Unlock()
	limit := s.env.Clock.After(starting)
	for {
		if s.ready() {
			s.mu.Lock()
			s.shared = sharedOf(s.root, p.Process.Pid)
			s.mu.Unlock()
			return nil
		}
		select {
		case <-p.End:
			return s.failed(ctx, "the server did not start", s.said(), nil)
		case <-limit:
			_ = s.stop()
			return model.BrokenError(fmt.Sprintf("the server did not answer within %s of its start: %s", starting, s.said()), "")
		case <-ctx.Done():
			return errors.Join(ctx.Err(), s.stop())
		case <-s.env.Clock.After(20 * time.Millisecond):
		}
	}
}

// ready checks the last line of postmaster.pid, as pg_ctl does: the eighth is "ready".
func (s *server) ready() bool {
	text, err := s.root.ReadFile("data/postmaster.pid")
	lines := strings.Split(string(text), "\n")
	return err == nil && len(lines) > 7 && strings.TrimSpace(lines[7]) == "ready"
}

// said returns the end of the server's log, for messages.
func (s *server) said() string { return ending(s.log.String()) }

// ending returns the end of a log, preceded by the line that says why a process died, which its
// clients' complaints can push out of the end. The statements that it repeats with a complaint are left out.
func ending(log string) string {
	log = withoutStatements(log)
	last, cause := daemon.LastLines(log, 4), ""
	for line := range strings.Lines(log) {
		if strings.Contains(line, "was terminated by signal") || strings.Contains(line, " PANIC: ") {
			cause = strings.TrimSpace(line)
		}
	}
	if cause == "" || strings.Contains(last, cause) {
		return last
	}
	return cause + "; …; " + last
}

// withoutStatements returns a log without the statements that clients were executing, which may be long: each begins
// with a line of its own, and continues on lines that begin with a tab.
func withoutStatements(log string) string {
	var b strings.Builder
	inStatement := false
	for line := range strings.Lines(log) {
		if !strings.HasPrefix(line, "\t") {
			inStatement = strings.Contains(line, "STATEMENT:  ")
		}
		if !inStatement {
			b.WriteString(line)
		}
	}
	return b.String()
}

// gone returns a message if the server has ended without being asked to; "" while it runs. When one
// of its processes is killed, PostgreSQL ends all of them and restarts: then it runs, but is not
// the same.
func (s *server) gone() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.started || s.ended || !s.process.Ended():
		return ""
	case s.exists != nil:
		return s.exists.lost()
	}
	return fmt.Sprintf("the PostgreSQL server ended in the middle (%s); the end of its log: %s", s.process.ProcessState, s.said())
}

// alive reports whether the server runs.
func (s *server) alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started && !s.ended && !s.process.Ended()
}

// stop ends the server at once. Its data must not be used afterwards.
func (s *server) stop() error {
	s.mu.Lock()
	p, shared, running := s.process, s.shared, s.started && !s.ended
	s.ended = true
	s.mu.Unlock()
	if s.exists != nil {
		return s.exists.leave()
	}
	if !running {
		return nil
	}
	// It goes to the postmaster alone, which passes it on.
	_ = p.Process.Signal(syscall.SIGQUIT)
	defer shared.remove(s.account.UID)
	select {
	case <-p.End:
	case <-s.env.Clock.After(stopping):
		p.Kill(syscall.SIGKILL)
		select {
		case <-p.End:
		case <-s.env.Clock.After(stopping):
			return model.BrokenError(fmt.Sprintf("the server (process %d) does not end, not even by a kill: the kernel waits for the storage", p.Process.Pid), "")
		}
	}
	return nil
}

// endsOrAnswers waits until it is known whether the server caused a failure of its clients: it disconnects them
// some time before it ends, and refuses new sessions from then on. A server that ends is waited for, up to
// dying; one that answers new sessions is not.
func (s *server) endsOrAnswers(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, dying)
	defer cancel()
	for answers := 0; answers < 2; {
		select {
		case <-s.process.End:
			return
		case <-limited.Done():
			return
		case <-s.env.Clock.After(asksEvery):
		}
		if _, err := s.ask(limited, database, "SELECT 1"); err == nil {
			answers++
		}
	}
}

// ends returns a context that is done when the server has ended, or when its parent is.
func (s *server) ends(parent context.Context) context.Context {
	ctx, cancel := context.WithCancel(parent)
	go func() {
		defer cancel()
		select {
		case <-s.process.End:
			// pgbench usually notices by itself; it gets a moment to say so.
			select {
			case <-s.env.Clock.After(2 * time.Second):
			case <-parent.Done():
			}
		case <-parent.Done():
		}
	}()
	return ctx
}
