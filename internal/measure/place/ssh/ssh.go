// Package ssh is the place on another host: it starts an agent there with the system's ssh and gives the
// engine a byte stream to it. Its assumptions: people who work with several hosts have ssh set up (keys,
// jump hosts, names), so ssh's own client connects, with its own configuration; it never prompts, because
// no one answers during a measurement; and nothing is copied to the host.
package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// options make ssh fail instead of prompting, and detect a host that is gone.
var options = []string{"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=6"}

// grace is how long a worker may take to clean up after its stream has ended.
const grace = 60 * time.Second

// Place starts workers on hosts, round-robin. Hosts are named as for ssh (an alias, user@name).
type Place struct {
	Env   *env.Env
	Hosts []string
}

// Put starts a worker on one of the hosts, selected by the volume's index.
func (p Place) Put(ctx context.Context, a place.Assignment) (*place.Worker, error) {
	if len(p.Hosts) == 0 {
		return nil, model.RefusedError("no host is named", "write --hosts a,user@b")
	}
	host := p.Hosts[a.Index%len(p.Hosts)]
	link, err := start(ctx, p.Env, host, a.Name())
	if err != nil {
		return nil, err
	}
	return &place.Worker{Link: link, Target: a.Target, Host: host}, nil
}

// start starts a worker on a host. Errors there are returned by the first Read.
func start(ctx context.Context, e *env.Env, host, runID string) (io.ReadWriteCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if host == "" || strings.HasPrefix(host, "-") {
		return nil, model.RefusedError(fmt.Sprintf("%q is not the name of a host", host), "write --hosts a,user@b")
	}
	if _, err := e.LookPath("ssh"); err != nil {
		return nil, model.RefusedError("the program ssh is not installed", "install it: apt-get install openssh-client")
	}
	// A run's name contains no characters that are special to a shell.
	command := append(append([]string{}, options...), "--", host, "loadline", "agent", "--run-id", runID)
	cmd := e.Command(context.WithoutCancel(ctx), "ssh", command...)
	apart(cmd)
	w := &worker{host: host, clock: e.Clock, cmd: cmd}
	cmd.Stderr, cmd.WaitDelay = &w.said, grace
	var err error
	if w.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if w.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("ssh could not be started: %w", err)
	}
	return w, nil
}

// worker is an agent at the other end of an ssh connection.
type worker struct {
	host  string
	clock env.Clock
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.ReadCloser
	said  words
	once  sync.Once
	end   error
}

func (w *worker) Write(p []byte) (int, error) { return w.in.Write(p) }

// Read returns the reason at the end of the stream.
func (w *worker) Read(p []byte) (int, error) {
	n, err := w.out.Read(p)
	if n > 0 || err == nil {
		return n, err
	}
	w.once.Do(w.wait)
	if w.end != nil {
		return 0, w.end
	}
	return 0, err
}

// The exit codes of ssh itself, and of a shell that does not find the program.
const (
	sshFailed  = 255
	notFound   = 127
	notAllowed = 126
)

// wait waits for ssh and turns the way it ended into an error message.
func (w *worker) wait() {
	err := w.cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		w.end = err
		return
	}
	said := w.said.String()
	switch code := exit.ExitCode(); code {
	case sshFailed:
		w.end = failure(w.host, said)
	case notFound, notAllowed:
		w.end = model.RefusedError(fmt.Sprintf("the host %s does not run loadline: %s", w.host, said), "put loadline (and fio) on the PATH there; to check: ssh "+safetext.ShellWord(w.host)+" loadline doctor")
	default:
		w.end = model.BrokenError(fmt.Sprintf("the worker on %s ended with exit code %d: %s", w.host, code, said), "")
	}
}

// Close ends the worker's input, after which it cleans up and ends, and waits for it.
func (w *worker) Close() error {
	w.in.Close()
	timer := w.clock.AfterFunc(grace, func() { _ = w.cmd.Process.Kill() })
	defer timer.Stop()
	// Draining keeps the worker from blocking on a full pipe while it cleans up.
	_, _ = io.Copy(io.Discard, w.out)
	w.once.Do(w.wait)
	return nil
}

// words keeps the last part of what ssh and the worker write to standard error.
type words struct {
	mu   sync.Mutex
	text string
}

func (w *words) Write(p []byte) (int, error) {
	const most = 2000
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text += string(p)
	if len(w.text) > most {
		w.text = w.text[len(w.text)-most:]
	}
	return len(p), nil
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(strings.Fields(w.text), " ")
}
