package cli

import (
	"context"
	"errors"
	"flag"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/cluster/link"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/trace/remote"
	"github.com/loadline/loadline/internal/measure/worker"
	"github.com/loadline/loadline/internal/show/screen"
)

// newAgent returns the verb that starts the agent at a remote location; users do not type it.
func newAgent(e *env.Env) *cobra.Command {
	f := worker.Flags{More: session.OnlyHere()}
	var tracing string
	cmd := &cobra.Command{
		Use:    "agent",
		Short:  "Run a worker: requests on standard input, events on standard output",
		Hidden: true,
		Long: `Speaks the worker's protocol, one JSON line per message. It is started by
loadline itself. When its input ends, it stops its work and removes what it created.
With --detached it serves at a socket in DIR instead and continues when a connection is
lost: --attach connects standard input and output to it. With --trace it is a tracer that
serves in DIR.
The program loadline-agent does the same in less memory; pods run that.

Exit codes: 0 told to exit; 1 lost its engine.`,
		Args: usage.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if tracing != "" {
				return serveTraces(cmd.Context(), e, tracing)
			}
			err := f.Run(cmd.Context(), screen.Raw(e))
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return exitCode(exitFailed)
			}
			return err
		},
	}
	fl := flag.NewFlagSet("agent", flag.ContinueOnError)
	f.Register(fl)
	cmd.Flags().AddGoFlagSet(fl)
	cmd.Flags().StringVar(&tracing, "trace", "", "trace this machine's block devices, controlled through a socket in this `DIR`")
	return cmd
}

// abandonTracer is how long a tracer waits for its driver to reconnect. The driver gives up
// earlier, and its trace is of no use to anyone else.
const abandonTracer = time.Hour

// serveTraces runs a tracer in a pod.
func serveTraces(ctx context.Context, e *env.Env, dir string) error {
	return link.ServeDetached(ctx, link.Detached{Dir: dir, AbandonAfter: abandonTracer, Clock: e.Clock}, func(orders io.Reader, answers io.Writer) error {
		return remote.Serve(ctx, e.Clock, orders, answers)
	})
}
