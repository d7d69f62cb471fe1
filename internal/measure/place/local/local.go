// Package local is the place on the user's machine: it starts an agent there and gives the engine a byte
// stream to it. Its assumptions: normally the agent runs in this process (one process to kill, nothing to
// install); a child process is the same agent behind the same stream, as ssh and pods use it.
package local

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Place starts workers on this machine.
type Place struct {
	Env *env.Env
	// Serve runs an agent on a pair of streams; name is part of its file names. It returns when it has
	// cleaned up, after the requests have ended.
	Serve func(ctx context.Context, name string, in io.Reader, out io.Writer) error
	// Command starts an agent as a separate process, with its name after --run-id; if it is empty, Serve
	// runs the agent in this process.
	Command []string
}

// Put starts a worker.
func (p Place) Put(ctx context.Context, a place.Assignment) (*place.Worker, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &place.Worker{Target: a.Target}
	// The engine handles an interrupt: it tells the worker to stop.
	ctx = context.WithoutCancel(ctx)
	if len(p.Command) > 0 {
		var err error
		if w.Link, err = Child(ctx, p.Env, p.Command[0], append(p.Command[1:len(p.Command):len(p.Command)], "--run-id", a.Name())...); err != nil {
			return nil, err
		}
		return w, nil
	}
	w.Link = InProcess(ctx, func(ctx context.Context, in io.Reader, out io.Writer) error { return p.Serve(ctx, a.Name(), in, out) })
	return w, nil
}

// InProcess starts serve in a goroutine and returns the other end of its streams. Closing that ends the
// stream and waits until serve has returned.
func InProcess(ctx context.Context, serve func(ctx context.Context, in io.Reader, out io.Writer) error) io.ReadWriteCloser {
	requestsOut, requestsIn := io.Pipe()
	eventsOut, eventsIn := io.Pipe()
	link := &inProcess{Reader: eventsOut, Writer: requestsIn, requests: requestsIn, events: eventsOut, done: make(chan struct{})}
	go func() {
		defer close(link.done)
		err := serve(ctx, requestsOut, eventsIn)
		eventsIn.CloseWithError(err)
		requestsOut.CloseWithError(io.ErrClosedPipe)
	}()
	return link
}

type inProcess struct {
	io.Reader
	io.Writer
	requests *io.PipeWriter
	events   *io.PipeReader
	done     chan struct{}
}

// Close ends the request stream, drops further events and waits for the agent.
func (l *inProcess) Close() error {
	l.requests.Close()
	l.events.Close()
	<-l.done
	return nil
}

// childGrace is how long a child may take to clean up after its stream has ended.
const childGrace = 60 * time.Second

// Child starts the command (loadline agent) and returns its standard streams.
func Child(ctx context.Context, e *env.Env, name string, args ...string) (io.ReadWriteCloser, error) {
	cmd := e.Command(context.WithoutCancel(ctx), name, args...)
	cmd.Stderr = e.Stderr
	cmd.WaitDelay = childGrace
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, model.BrokenError(fmt.Sprintf("the worker %s could not be started: %v", name, err), "see whether it is there and may be run: "+safetext.ShellWord(name)+" --version")
	}
	return &child{ReadCloser: out, in: in, cmd: cmd, clock: e.Clock}, nil
}

type child struct {
	io.ReadCloser
	in    io.WriteCloser
	cmd   *exec.Cmd
	once  sync.Once
	clock env.Clock
}

func (c *child) Write(p []byte) (int, error) { return c.in.Write(p) }

// Close ends the child's input, after which it cleans up and ends, and waits for it.
func (c *child) Close() error {
	c.once.Do(c.end)
	return nil
}

func (c *child) end() {
	c.in.Close()
	timer := c.clock.AfterFunc(childGrace, func() { _ = c.cmd.Process.Kill() })
	defer timer.Stop()
	// Draining keeps the child from blocking on a full pipe while it cleans up.
	_, _ = io.Copy(io.Discard, c.ReadCloser)
	_ = c.cmd.Wait()
}
