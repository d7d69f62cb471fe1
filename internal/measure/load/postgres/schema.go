package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// clearing is how long the removal of a schema may take, including its tables' files.
const clearing = 2 * time.Minute

// creating is how long creating a schema may take: a commit that must be confirmed by a standby
// waits forever if there is none. Tests use less time.
var creating = 20 * time.Second

// again returns the command that removes a schema if we could not.
func (x *existing) again() string { return "loadline cleanup " + safetext.ShellWord(x.uri) }

// readyExisting creates a schema in an existing server, and fills it.
func (d *Driver) readyExisting(ctx context.Context, workDir *os.Root, req model.PrepareRequest, progress func(model.Progress)) (*model.AppState, error) {
	p, err := findClients(ctx, d.env)
	if err != nil {
		return nil, err
	}
	c, err := connect(d.env, req.Volume.Target.URI)
	if err != nil {
		return nil, err
	}
	begin := d.env.Now()
	x := &existing{connection: c, programs: p}
	// Changes since the plan was shown can still lead to a refusal.
	state, err := x.look(ctx, *req.App)
	if err != nil {
		return nil, err
	}
	progress(model.Progress{Phase: model.PhasePrefill, Total: float64(req.Volume.Size)})
	x.schema = newSchema(begin)
	// pgbench starts in its own directory beside its log, as it does with a server that we start.
	s := &server{env: d.env, programs: x.programs, account: c.account(x.schema, bySearchPath+x.schema), root: workDir, dir: workDir.Name(), socket: filepath.Join(workDir.Name(), "s"), exists: x}
	if err := workDir.Mkdir(filepath.Base(s.socket), 0o700); err != nil {
		return nil, model.BrokenError(fmt.Sprintf("%s cannot be made: %s", s.socket, env.Reason(err)), "")
	}
	if x.hold, err = x.openHold(ctx); err != nil {
		return nil, x.unreachable(err)
	}
	s.process, s.started = x.hold.process, true
	// From here on there is something to remove.
	d.server = s
	if err := x.create(ctx); err != nil {
		return nil, err
	}
	if err := x.fill(ctx, s, req.App.Scale, req.Volume.Size, progress); err != nil {
		return nil, err
	}
	sizes, err := s.numbers(ctx, database, fmt.Sprintf(`SELECT 'data', sum(pg_total_relation_size(c.oid))::float8 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '%s' AND c.relkind = 'r'
UNION ALL SELECT 'cache', setting::float8*pg_size_bytes(unit) FROM pg_settings WHERE name='shared_buffers'`, x.schema))
	if err != nil {
		return nil, model.BrokenError(err.Error(), "")
	}
	state.Data, state.Cache = int64(sizes["data"]), int64(sizes["cache"])
	state.Scale, state.Seconds = req.App.Scale, d.env.Now().Sub(begin).Seconds()
	state.Server.Schema = x.schema
	if err := s.reached(ctx, state); err != nil {
		return nil, err
	}
	d.state, d.timed = state, true
	return state, nil
}

// create creates the schema with the server's own commit settings, so that a standby that confirms
// nothing is detected before the load waits for it.
func (x *existing) create(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, creating)
	defer cancel()
	x.made = true
	_, err := x.psql(bounded, x.programs, x.schema, bySearchPath+"pg_catalog -c statement_timeout=0", []string{"--single-transaction"},
		"CREATE SCHEMA "+x.schema, fmt.Sprintf("COMMENT ON SCHEMA %s IS '%s'", x.schema, mark))
	switch {
	case err == nil:
		x.certain = true
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		why := "whatever it waits for"
		if names, _ := x.facts(ctx, "SELECT 'names', current_setting('synchronous_standby_names')"); names["names"] != "" {
			why = fmt.Sprintf("a standby of synchronous_standby_names (%s) that does not answer", names["names"])
		}
		return model.BrokenError(fmt.Sprintf("the server %s did not confirm CREATE SCHEMA %s within %s: it waits for %s; the statement was cancelled, and the schema is removed if it is there", x.uri, x.schema, creating, why),
			"start the standby; should the schema stay: "+x.again())
	}
	// If the server refused, the schema does not exist; if the connection was lost, it is unknown.
	x.made = !strings.Contains(err.Error(), "ERROR:")
	return model.BrokenError(fmt.Sprintf("the schema %s could not be made in the server %s: %v", x.schema, x.uri, err), "")
}

// fill creates pgbench's tables. It drops nothing first: the schema is new.
func (x *existing) fill(ctx context.Context, s *server, scale int, size int64, progress func(model.Progress)) error {
	cmd := s.account.Command(s.env, s.dir, s.programs.path("pgbench"), "--initialize", "--init-steps=tgvp", "--scale="+strconv.Itoa(scale))
	var errs daemon.Tail
	cmd.Stderr = &errs
	p, err := daemon.Launch(s.env.Clock, cmd)
	if err != nil {
		return model.BrokenError(fmt.Sprintf("pgbench cannot be started: %v", err), "")
	}
	watched := watchFill(s.env.Clock, p, &errs, size, progress)
	p.Finish(ctx, syscall.SIGINT, cancelling)
	<-watched
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !p.Succeeded() {
		said := complaint(errs.String(), fmt.Errorf("it ended with %s", p.ProcessState))
		switch gone := s.gone(); {
		case gone != "":
			return model.BrokenError(gone, x.again())
		case strings.Contains(said, noSpace):
			return model.BrokenError(fmt.Sprintf("the server %s has no space left for its tables: %s", x.uri, said), "free some space there, or fill it with less: --scale 10")
		}
		return model.BrokenError(fmt.Sprintf("pgbench could not fill its tables: %s", said), "")
	}
	return s.checkpoint(ctx)
}

// counted is how long a checkpoint may take to appear in the server's counters. The process that does it answers first,
// and publishes its counters a moment later.
const counted = 2 * time.Second

// checkpoint makes the server do a checkpoint, if we are allowed to, and returns once it is counted: otherwise it would be
// counted in the repeat that follows.
func (s *server) checkpoint(ctx context.Context) error {
	if s.exists != nil && !s.exists.about.Checkpoint {
		return nil
	}
	count := func() (float64, error) {
		found, err := s.numbers(ctx, database, checkpointsOf(s.programs.major))
		return found["checkpoints"], err
	}
	before, err := count()
	if err != nil {
		return err
	}
	if _, err := s.ask(ctx, database, "CHECKPOINT"); err != nil {
		return err
	}
	for begin := s.env.Clock.Now(); s.env.Clock.Since(begin) < counted; {
		if now, err := count(); err != nil || now > before {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.env.Clock.After(20 * time.Millisecond):
		}
	}
	return nil
}

// leave removes the schema and ends the session that holds it. If others have created objects that
// depend on our tables, those objects stay, and so do our tables.
func (x *existing) leave() error {
	if x.hold == nil {
		return nil
	}
	defer func() {
		x.hold.close()
		x.hold = nil
	}()
	if !x.made {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), clearing)
	defer cancel()
	if !x.certain {
		if found, err := x.facts(ctx, "SELECT 'there', count(*) FROM pg_namespace WHERE nspname = '"+x.schema+"'"); err == nil && found["there"] == "0" {
			return nil
		}
	}
	if err := x.drop(ctx); err != nil {
		return model.BrokenError(fmt.Sprintf("the schema %s stays in the server %s, because it could not be removed: %v", x.schema, x.uri, err), x.again())
	}
	x.made = false
	return nil
}

// drop ends the sessions of the schema's load, and removes its tables and the schema. Without
// CASCADE the server refuses if other objects depend on them, and names those.
func (x *existing) drop(ctx context.Context) error {
	// Of the sessions named after the schema, one is the one that asks and one holds the lock.
	_, err := x.ask(ctx, fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_stat_activity a WHERE application_name = '%s' AND usename = current_user AND pid <> pg_backend_pid() AND NOT EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.locktype = 'advisory' AND l.granted)", x.schema))
	if err != nil {
		return err
	}
	rows, err := x.ask(ctx, fmt.Sprintf("SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '%s' AND c.relkind = 'r' AND c.relname IN ('pgbench_accounts', 'pgbench_branches', 'pgbench_history', 'pgbench_tellers')", x.schema))
	if err != nil {
		return err
	}
	var tables []string
	for _, row := range rows {
		tables = append(tables, x.schema+"."+row[0])
	}
	statements := []string{"DROP SCHEMA " + x.schema + " RESTRICT"}
	if len(tables) > 0 {
		statements = append([]string{"DROP TABLE " + strings.Join(tables, ", ") + " RESTRICT"}, statements...)
	}
	_, err = x.psql(ctx, x.programs, x.schema, bySearchPath+"pg_catalog"+ofLooking+ofClearing, []string{"--single-transaction"}, statements...)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the server did not remove it within %s", clearing)
	}
	return err
}
