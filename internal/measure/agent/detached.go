package agent

import (
	"context"
	"io"
	"time"

	"github.com/loadline/loadline/internal/cluster/link"
)

// ServeDetached serves one session like Serve, but continues when the connection to the engine is
// lost, and serves the next connection to the socket in dir. It ends after bye, when ctx ends, or when
// no engine has been connected for abandonAfter; in all cases the worker has cleaned up.
func ServeDetached(ctx context.Context, dir string, abandonAfter time.Duration, o Options) error {
	return link.ServeDetached(ctx, link.Detached{Dir: dir, AbandonAfter: abandonAfter, Clock: o.Env.Clock}, func(requests io.Reader, events io.Writer) error {
		return Serve(ctx, requests, events, o)
	})
}
