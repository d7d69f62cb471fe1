package session

import (
	"context"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/measure/place"
)

// Connect starts a worker on this machine for what is no run, and greets it: in process, or,
// with child, as a process of its own.
func Connect(ctx context.Context, e *env.Env, runID string, child bool) (*engine.Worker, error) {
	put, err := here(e, child).Put(ctx, place.Assignment{RunID: runID, Say: func(string) {}})
	if err != nil {
		return nil, err
	}
	return engine.Connect(context.WithoutCancel(ctx), put.Link)
}
