package kube

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/tools/remotecommand"
)

// Exec runs a program in the container of a worker's pod and connects its standard streams. If the
// program could not be started, the first Read returns the error.
func (c *Client) Exec(ctx context.Context, pod string, command ...string) (io.ReadWriteCloser, error) {
	return c.ExecIn(ctx, pod, Container, command...)
}

// ExecIn is Exec for a container of any pod.
func (c *Client) ExecIn(ctx context.Context, pod, container string, command ...string) (io.ReadWriteCloser, error) {
	query := url.Values{"container": {container}, "command": command, "stdin": {"true"}, "stdout": {"true"}, "stderr": {"true"}}
	u := c.core.Post().Namespace(c.Namespace).Resource("pods").Name(pod).SubResource("exec").URL()
	u.RawQuery = query.Encode()
	ws, err := remotecommand.NewWebSocketExecutor(c.config, "GET", u.String())
	if err != nil {
		return nil, err
	}
	spdy, err := remotecommand.NewSPDYExecutor(c.config, "POST", u)
	if err != nil {
		return nil, err
	}
	// Old servers and some proxies do not support websockets; a Role may allow only one of the
	// verbs.
	executor, err := remotecommand.NewFallbackExecutor(ws, spdy, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &process{cancel: cancel}
	p.stdinRead, p.stdin = io.Pipe()
	p.stdout, p.stdoutWrite = io.Pipe()
	go func() {
		err := executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: p.stdinRead, Stdout: p.stdoutWrite, Stderr: &p.stderr})
		switch {
		case err == nil:
			err = io.EOF
		case p.stderr.String() != "":
			err = fmt.Errorf("%w: %s", err, tail(p.stderr.String()))
		case apierrors.IsForbidden(err):
			err = c.explain("create", "pods/exec", c.Namespace, err)
		}
		p.stdoutWrite.CloseWithError(err)
		p.stdinRead.CloseWithError(io.ErrClosedPipe)
	}()
	return p, nil
}

// process is a program running in a pod.
type process struct {
	cancel      context.CancelFunc
	stdin       *io.PipeWriter
	stdinRead   *io.PipeReader
	stdout      *io.PipeReader
	stdoutWrite *io.PipeWriter
	stderr      firstWords
}

func (p *process) Read(b []byte) (int, error)  { return p.stdout.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

// Close ends the connection without waiting for the program.
func (p *process) Close() error {
	p.stdin.Close()
	p.stdout.Close()
	p.cancel()
	return nil
}

// firstWords keeps the first few kilobytes written to it.
type firstWords struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *firstWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if room := 4096 - w.text.Len(); room > 0 {
		w.text.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (w *firstWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(w.text.String())
}
