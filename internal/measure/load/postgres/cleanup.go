package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// Left is a schema that a run has left behind in a server.
type Left struct {
	Schema string
	// Stays is why it was not removed, and Next what to do about it; empty if it was removed.
	Stays, Next string
}

// RemoveLeft removes the schemas that killed runs have left in the database of a URL: those with
// exactly such a name and our comment that belong to the user and are not held by a live run. It
// returns what it has found, even if it fails.
func RemoveLeft(ctx context.Context, e *env.Env, uri string) (list []Left, err error) {
	p, err := findClients(ctx, e)
	if err != nil {
		return nil, err
	}
	c, err := connect(e, uri)
	if err != nil {
		return nil, err
	}
	look := &existing{connection: c, programs: p}
	ctx, cancel := context.WithTimeout(ctx, 2*clearing)
	defer cancel()
	rows, err := look.ask(ctx, `SELECT nspname, coalesce(obj_description(oid, 'pg_namespace'), '') = '`+mark+`', pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname LIKE 'loadline\_%' ORDER BY nspname`)
	if err != nil {
		return nil, look.unreachable(err)
	}
	for _, row := range rows {
		if len(row) != 3 || !schemaName.MatchString(row[0]) {
			continue
		}
		left := Left{Schema: row[0]}
		x := &existing{connection: c, programs: p, schema: left.Schema, made: true, certain: true}
		switch {
		case row[1] != "t":
			left.Stays, left.Next = "it does not bear Loadline's comment, so somebody else may have made it", "if it may go: DROP SCHEMA "+left.Schema+" CASCADE"
		case row[2] != "t":
			left.Stays, left.Next = "it belongs to another user", "connect as that one: postgres://USER@HOST/DATABASE"
		default:
			left.Stays, left.Next, err = x.removeLeft(ctx)
		}
		if err != nil {
			return list, err
		}
		list = append(list, left)
	}
	return list, nil
}

// errHeld means that a live session holds a schema.
var errHeld = errors.New("a running loadline uses it")

// removeLeft takes the lock of a schema, which a live run would hold, and removes the schema.
func (x *existing) removeLeft(ctx context.Context) (stays, next string, err error) {
	if x.hold, err = x.openHold(ctx); errors.Is(err, errHeld) {
		return err.Error(), "should that be on a machine that is gone: SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '" + x.schema + "'", nil
	} else if err != nil {
		return "", "", x.unreachable(err)
	}
	defer x.hold.close()
	if err := x.drop(ctx); err != nil {
		return "", "", model.BrokenError(fmt.Sprintf("the schema %s could not be removed: %v", x.schema, err), "look at what depends on it; if all of that may go: DROP SCHEMA "+x.schema+" CASCADE")
	}
	return "", "", nil
}
