package agent

import (
	"context"
	"io"
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

// Reside serves one session like Serve, but at the end of a link that stays: when a
// connection is lost the work goes on. It ends after bye, when ctx ends, or when no engine
// has been there for too long; in all cases the worker has cleaned up.
func Reside(ctx context.Context, r Residence, o Options) error {
	return link.Reside(ctx, link.Residence{Dir: r.Dir, AbandonAfter: r.AbandonAfter, Clock: o.Env.Clock}, func(requests io.Reader, events io.Writer) error {
		return Serve(ctx, requests, events, o)
	})
}
