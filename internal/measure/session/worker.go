package session

import (
	"context"
	"errors"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/measure/place"
)

// Connect starts a worker on this machine that does not belong to a run, and waits for its hello: in this
// process or, with child, in a separate one.
func Connect(ctx context.Context, e *env.Env, runID string, child bool) (*engine.Worker, error) {
	put, err := here(e, child).Put(ctx, place.Assignment{RunID: runID, Say: func(string) {}})
	if err != nil {
		return nil, err
	}
	w, err := engine.Connect(context.WithoutCancel(ctx), put.Link)
	if err != nil {
		return nil, errors.Join(err, put.Link.Close())
	}
	return w, nil
}
