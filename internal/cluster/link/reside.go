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

// Residence is where somebody lives whose client may lose the way to him.
type Residence struct {
	// Dir holds the socket and what is sent; it is made if it is missing.
	Dir string
	// AbandonAfter is how long nobody may be there before what comes in ends.
	AbandonAfter time.Duration
	// Clock is the time by which it waits.
	Clock env.Clock
}

const (
	spoolName = "events"
	// lastWords is how long the last bytes wait for a client that is not there.
	lastWords = 2 * time.Minute
)

// Reside serves one client at the end of a link that stays: when a connection is lost the
// work goes on. What the client sends is in, which ends with an error when ctx does, or when
// nobody has been there for too long; what is written to out reaches the client, but nothing
// that is written after ctx has ended. It returns the error of serve.
func Reside(ctx context.Context, r Residence, serve func(in io.Reader, out io.Writer) error) error {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return err
	}
	sent, err := NewSpool(filepath.Join(r.Dir, spoolName))
	if err != nil {
		return fmt.Errorf("there is no room for what is to be sent: %w", err)
	}
	defer sent.Close()
	in, fromClient := io.Pipe()
	server, err := Listen(r.Dir, Options{
		Out: sent.From, In: func() io.Writer { return fromClient }, Alone: true, AbandonAfter: r.AbandonAfter, Clock: r.Clock,
		Abandoned: func() { fromClient.CloseWithError(errors.New("nobody has been there for " + r.AbandonAfter.String())) },
	})
	if err != nil {
		return err
	}
	defer server.Close()
	stop := context.AfterFunc(ctx, func() { fromClient.CloseWithError(ctx.Err()) })
	defer stop()

	err = serve(in, runningWriter{ctx, sent})
	in.CloseWithError(io.ErrClosedPipe)
	// The last word is worth waiting for, unless nobody is to be waited for. Without
	// one the link does not end: the client is told by the cluster why the pod does.
	if err == nil {
		sent.End()
		select {
		case <-server.Sent():
		case <-ctx.Done():
		case <-r.Clock.After(lastWords):
		}
	}
	return err
}

// runningWriter passes bytes on until ctx ends. A program is told to end when its pod is
// taken away: what it would say of its work then is about the pod, and who asks the
// cluster is told why.
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
