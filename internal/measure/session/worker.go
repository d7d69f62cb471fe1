package session

import (
	"context"
	"io"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/agent"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/measure/place/local"
	"github.com/loadline/loadline/internal/measure/worker"
)

// Connect starts a worker on this machine and greets it: in process, or, with
// child, as a process of its own (which is what remote places do).
func Connect(ctx context.Context, e *env.Env, runID string, child bool) (*engine.Worker, error) {
	// The worker outlives an interrupt: it is told to stop, answers with what it has,
	// and cleans up when it hears bye.
	ctx = context.WithoutCancel(ctx)
	if child {
		link, err := local.Child(ctx, e, e.Program(), "agent", "--run-id", runID)
		if err != nil {
			return nil, err
		}
		return engine.Connect(ctx, link)
	}
	return engine.Connect(ctx, local.InProcess(ctx, func(ctx context.Context, in io.Reader, out io.Writer) error {
		return agent.Serve(ctx, in, out, worker.Options(e, runID))
	}))
}
