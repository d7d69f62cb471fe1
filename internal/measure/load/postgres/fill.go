package postgres

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
)

// percentDone matches pgbench's progress while it fills its tables: "100000 of 1000000 tuples (10%)".
var percentDone = regexp.MustCompile(`of \d+ tuples \((\d+)%\)`)

// fill creates pgbench's tables at a scale and has them written to disk. size is their approximate
// total size in bytes.
func (s *server) fill(ctx context.Context, scale int, size int64, progress func(model.Progress)) error {
	dir, done, err := s.place(s.socket)
	if err != nil {
		return err
	}
	defer done()
	cmd := s.account.Command(s.env, dir, s.programs.path("pgbench"), "--initialize", "--scale="+strconv.Itoa(scale),
		"--host="+s.host(), "--port="+port, "--username="+s.user(), database)
	var errs daemon.Tail
	cmd.Stderr = &errs
	p, err := daemon.Launch(s.env.Clock, cmd)
	if err != nil {
		return model.BrokenError(fmt.Sprintf("pgbench cannot be started: %v", err), "")
	}
	watch := watchFill(s.env.Clock, p, &errs, size, progress)
	p.Finish(ctx, syscall.SIGINT, 2*time.Second)
	<-watch
	if !p.Succeeded() || ctx.Err() != nil {
		if gone := s.gone(); gone != "" && ctx.Err() == nil {
			return s.failed(ctx, "the server ended while its tables were filled", s.said(), nil)
		}
		return s.failed(ctx, "pgbench could not fill its tables", errs.String(), fmt.Errorf("it ended with %s", p.ProcessState))
	}
	// The first checkpoint writes what was filled; the rest of the filesystem's cache comes from initdb.
	if err := s.checkpoint(ctx); err != nil {
		return s.failed(ctx, "the tables could not be written to the disk", err.Error(), err)
	}
	syncFilesystem(s.data)
	if s.wal != nil {
		syncFilesystem(s.wal.path)
	}
	return ctx.Err()
}

// watchFill reports pgbench's progress once a second until it ends.
func watchFill(clock env.Clock, p daemon.Process, errs *daemon.Tail, size int64, progress func(model.Progress)) <-chan struct{} {
	begin := clock.Now()
	watch := make(chan struct{})
	go func() {
		defer close(watch)
		for {
			select {
			case <-p.End:
				return
			case <-clock.After(time.Second):
				if m := percentDone.FindAllStringSubmatch(errs.String(), -1); m != nil {
					percent, _ := strconv.ParseFloat(m[len(m)-1][1], 64)
					done := percent / 100 * float64(size)
					progress(model.Progress{Phase: model.PhasePrefill, Done: done, Total: float64(size), Rate: done / clock.Since(begin).Seconds()})
				}
			}
		}
	}()
	return watch
}

// state reads the server's description.
func (s *server) state(ctx context.Context) (*model.AppState, error) {
	state := &model.AppState{Name: "postgres", Version: s.programs.version}
	var err error
	if state.Settings, err = s.settings(ctx); err != nil {
		return nil, err
	}
	sizes, err := s.numbers(ctx, database, `SELECT 'data', pg_database_size(current_database())::float8
UNION ALL SELECT 'cache', setting::float8*pg_size_bytes(unit) FROM pg_settings WHERE name='shared_buffers'`)
	if err != nil {
		return nil, err
	}
	state.Data, state.Cache = int64(sizes["data"]), int64(sizes["cache"])
	return state, nil
}
