package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/loadline/loadline/internal/cluster/link"
)

// Residence is where a worker lives whose engine may lose the way to it.
type Residence struct {
	// Dir holds the socket and the events; it is made if it is missing.
	Dir string
	// AbandonAfter is how long the worker waits for an engine before it cleans up and ends.
	AbandonAfter time.Duration
}

const (
	spoolName = "events"
	// farewell is how long the last events wait for an engine that is not there.
	farewell = 2 * time.Minute
)

// Reside serves one session like Serve, but at the end of a link that stays: when a
// connection is lost the work goes on. It ends after bye, when ctx ends, or when no engine
// has been there for too long; in all cases the worker has cleaned up.
func Reside(ctx context.Context, r Residence, o Options) error {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return err
	}
	events, err := link.NewSpool(filepath.Join(r.Dir, spoolName))
	if err != nil {
		return fmt.Errorf("the worker has no room for its events: %w", err)
	}
	defer events.Close()
	requests, toWorker := io.Pipe()
	server, err := link.Listen(r.Dir, link.Options{
		Out: events.From, In: func() io.Writer { return toWorker }, Alone: true, AbandonAfter: r.AbandonAfter, Clock: o.Env.Clock,
		Abandoned: func() { toWorker.CloseWithError(errors.New("no engine has been there for " + r.AbandonAfter.String())) },
	})
	if err != nil {
		return err
	}
	defer server.Close()
	stop := context.AfterFunc(ctx, func() { toWorker.CloseWithError(ctx.Err()) })
	defer stop()

	err = Serve(ctx, requests, runningWriter{ctx, events}, o)
	requests.CloseWithError(io.ErrClosedPipe)
	// The answer to bye is worth waiting for, unless nobody is to be waited for. Without
	// one the link does not end: the engine is told by the cluster why the pod does.
	if err == nil {
		events.End()
		select {
		case <-server.Sent():
		case <-ctx.Done():
		case <-o.Env.After(farewell):
		}
	}
	return err
}

// runningWriter passes events on until ctx ends. A worker is told to end when its pod is
// taken away: what it would say of its work then is about the pod, and who asks the
// cluster is told why.
type runningWriter struct {
	ctx context.Context
	io.Writer
}

func (l runningWriter) Write(event []byte) (int, error) {
	if l.ctx.Err() != nil {
		return len(event), nil
	}
	return l.Writer.Write(event)
}
