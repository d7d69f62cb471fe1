package cleanup

import (
	"context"
	"errors"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/measure/volume"
)

// Server removes what killed runs have left in the database of an existing server, and the directories of
// their pgbench on this machine. name is the server's address.
func Server(ctx context.Context, e *env.Env, name string, tell func(Found)) (Outcome, error) {
	t, err := target.ParseServer(name)
	if err != nil {
		return Outcome{}, err
	}
	schemas, err := postgres.RemoveLeft(ctx, e, t.URI)
	for _, s := range schemas {
		tell(Found{Name: "schema " + s.Schema, Stays: s.Stays, Next: s.Next})
	}
	if err != nil {
		return Outcome{}, err
	}
	places, err := volume.AbandonedWorkDirs(env.TempDir())
	if err != nil {
		return Outcome{}, err
	}
	removed, failed := 0, error(nil)
	for _, p := range places {
		if p.Stays != "" {
			continue // another user's: all users share this directory
		}
		if err := p.Remove(postgres.RemoveShared); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		removed++
		tell(Found{Name: p.Path})
	}
	return Outcome{Where: t.URI, Nothing: len(schemas)+removed == 0 && failed == nil}, failed
}
