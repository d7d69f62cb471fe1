// Package local is the place where the user is: it starts an agent on this
// machine and gives the engine a byte stream to it. Its opinion: in process is
// the normal way (one process to kill, nothing to install); a child process is
// the same agent behind the same stream, and is what ssh and pods will use.
package local

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// InProcess starts serve in a goroutine and returns the other end of its
// streams. Closing it ends the stream and waits until serve has returned.
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

// childGrace is how long a child may take to clean up after its stream ended.
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
		return nil, fmt.Errorf("the worker %s could not be started: %w", name, err)
	}
	return &child{ReadCloser: out, in: in, cmd: cmd, clock: e.Clock}, nil
}

type child struct {
	io.ReadCloser
	in    io.WriteCloser
	cmd   *exec.Cmd
	clock env.Clock
}

func (c *child) Write(p []byte) (int, error) { return c.in.Write(p) }

// Close ends the child's input, which makes it clean up and end, and waits for it.
func (c *child) Close() error {
	c.in.Close()
	// Draining keeps the child from blocking on a full pipe while it cleans up.
	_, _ = io.Copy(io.Discard, c.ReadCloser)
	timer := c.clock.AfterFunc(childGrace, func() { _ = c.cmd.Process.Kill() })
	defer timer.Stop()
	_ = c.cmd.Wait()
	return nil
}
