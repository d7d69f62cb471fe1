package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// Detached says where a server runs without a connection to its client, and for how long.
type Detached struct {
	// Dir contains the socket and the spool of outgoing data; it is created if it is missing.
	Dir string
	// AbandonAfter is how long no client may be connected before the server's input ends.
	AbandonAfter time.Duration
	// Clock measures that time.
	Clock env.Clock
}

const (
	spoolName = "events"
	// drainTime is how long the last bytes wait for a client that is not connected.
	drainTime = 2 * time.Minute
)

// ServeDetached serves one client, which may lose its connection and connect again: serve continues
// meanwhile. It reads what the client sends from in, which returns an error when ctx ends, or when
// no client was connected for too long. What it writes to out reaches the client, except what is
// written after ctx has ended. The error is that of serve.
func ServeDetached(ctx context.Context, d Detached, serve func(in io.Reader, out io.Writer) error) error {
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		return err
	}
	sent, err := NewSpool(filepath.Join(d.Dir, spoolName))
	if err != nil {
		return fmt.Errorf("there is no room for what is to be sent: %w", err)
	}
	defer sent.Close()
	in, fromClient := io.Pipe()
	server, err := Listen(d.Dir, Options{
		Out: sent.From, In: func() io.Writer { return fromClient }, Alone: true, AbandonAfter: d.AbandonAfter, Clock: d.Clock,
		Abandoned: func() {
			fromClient.CloseWithError(errors.New("no client has been connected for " + d.AbandonAfter.String()))
		},
	})
	if err != nil {
		return err
	}
	defer server.Close()
	stop := context.AfterFunc(ctx, func() { fromClient.CloseWithError(ctx.Err()) })
	defer stop()

	err = serve(in, runningWriter{ctx, sent})
	in.CloseWithError(io.ErrClosedPipe)
	// The result is worth waiting for, unless ctx has ended. After an error the stream is not
	// ended: the cluster tells the client why the pod ended.
	if err == nil {
		sent.End()
		select {
		case <-server.Sent():
		case <-ctx.Done():
		case <-d.Clock.After(drainTime):
		}
	}
	return err
}

// runningWriter passes bytes on until ctx ends. A program is told to end when its pod is deleted:
// any error that it reports after that results from the deletion, whose reason the cluster knows.
type runningWriter struct {
	ctx context.Context
	io.Writer
}

func (l runningWriter) Write(p []byte) (int, error) {
	if l.ctx.Err() != nil {
		return len(p), nil
	}
	return l.Writer.Write(p)
}
