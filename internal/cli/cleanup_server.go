package cli

import (
	"context"
	"errors"
	"os"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/measure/volume"
)

// cleanupServer removes what killed runs have left in the database of an existing server, and the
// directories of their pgbench on this machine.
func cleanupServer(ctx context.Context, e *env.Env, name string) error {
	t, err := target.ParseServer(name)
	if err != nil {
		return err
	}
	schemas, err := postgres.RemoveLeft(ctx, e, t.URI)
	for _, s := range schemas {
		if s.Stays != "" {
			printLine(e.Stdout, "kept    schema %s: %s", s.Schema, s.Stays)
			printLine(e.Stdout, "  next: %s", s.Next)
			continue
		}
		printLine(e.Stdout, "removed schema %s", s.Schema)
	}
	if err != nil {
		return err
	}
	places, err := volume.AbandonedWorkDirs(os.TempDir())
	if err != nil {
		return err
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
		printLine(e.Stdout, "removed %s", p.Path)
	}
	if len(schemas)+removed == 0 && failed == nil {
		printLine(e.Stdout, "nothing to remove in %s", t.URI)
	}
	return failed
}
