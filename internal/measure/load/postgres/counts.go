package postgres

import (
	"context"
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

// countsOf returns the statement that reads all counters of a version: pairs of a name and a
// number, times in seconds. For where a version keeps them, see the manual's "The Cumulative
// Statistics System". Version 17 moved checkpoints to a separate view, 18 the flushes of the log to
// pg_stat_io, where those of new log segments have a context of their own; no version before counts them.
func countsOf(major int) string {
	flushSeconds := `SELECT 'flush_seconds', wal_sync_time/1000 FROM pg_stat_wal`
	if major >= 18 {
		flushSeconds = `SELECT 'flush_seconds', sum(fsync_time)/1000 FROM pg_stat_io WHERE object='wal' AND context='normal'`
	}
	return flushesOf(major) + ` UNION ALL ` + flushSeconds + ` UNION ALL ` + checkpointsOf(major) + `
UNION ALL SELECT 'log_bytes', wal_bytes::float8 FROM pg_stat_wal
UNION ALL SELECT 'page_images', wal_fpi::float8 FROM pg_stat_wal
UNION ALL SELECT 'hits', blks_hit::float8 FROM pg_stat_database WHERE datname=current_database()
UNION ALL SELECT 'reads', blks_read::float8 FROM pg_stat_database WHERE datname=current_database()
UNION ALL SELECT 'read_seconds', blk_read_time/1000 FROM pg_stat_database WHERE datname=current_database()
UNION ALL SELECT 'vacuums', sum(autovacuum_count+autoanalyze_count)::float8 FROM pg_stat_user_tables
UNION ALL SELECT 'started', extract(epoch FROM pg_postmaster_start_time())::float8`
}

// flushesOf returns the statement that reads how often the log was flushed.
func flushesOf(major int) string {
	if major >= 18 {
		return `SELECT 'flushes', sum(fsyncs)::float8 FROM pg_stat_io WHERE object='wal' AND context='normal'`
	}
	return `SELECT 'flushes', wal_sync::float8 FROM pg_stat_wal`
}

// checkpointsOf returns the statement that reads how many checkpoints there were.
func checkpointsOf(major int) string {
	if major >= 17 {
		return `SELECT 'checkpoints', (num_timed+num_requested)::float8 FROM pg_stat_checkpointer`
	}
	return `SELECT 'checkpoints', (checkpoints_timed+checkpoints_req)::float8 FROM pg_stat_bgwriter`
}

// counts reads all counters.
func (s *server) counts(ctx context.Context) (map[string]float64, error) {
	found, err := s.numbers(ctx, database, countsOf(s.programs.major)+countedBeside(s.programs.major))
	if err != nil {
		return nil, fmt.Errorf("the server's counts cannot be read: %w", err)
	}
	return found, nil
}

// difference fills in what was counted between two readings. Times that the server does not measure
// (track_wal_io_timing, track_io_timing) are unknown rather than 0.
func difference(c *model.AppCounts, before, after map[string]float64, timed bool) {
	for name, to := range map[string]**float64{
		"flushes": &c.Flushes, "flush_seconds": &c.FlushSeconds, "log_bytes": &c.LogBytes, "page_images": &c.PageImages,
		"hits": &c.Hits, "reads": &c.Reads, "read_seconds": &c.ReadSeconds, "checkpoints": &c.Checkpoints, "vacuums": &c.Vacuums,
	} {
		a, hasA := before[name]
		b, hasB := after[name]
		if !hasA || !hasB || b < a || !timed && (name == "flush_seconds" || name == "read_seconds") {
			continue
		}
		d := b - a
		*to = &d
	}
}

// settingsOf is the statement that reads all settings.
const settingsOf = `SELECT name, coalesce(current_setting(name), ''), ` +
	`CASE WHEN boot_val = setting OR source = 'default' THEN current_setting(name) ELSE coalesce(boot_val, '') || CASE WHEN unit IS NULL THEN '' ELSE ' × ' || unit END END, source ` +
	`FROM pg_settings ORDER BY name`

// settings returns all settings of the server.
func (s *server) settings(ctx context.Context) ([]model.Setting, error) {
	return settingsIn(s.ask(ctx, database, settingsOf))
}

// settingsIn parses the answer.
func settingsIn(rows [][]string, err error) ([]model.Setting, error) {
	if err != nil {
		return nil, fmt.Errorf("the server's settings cannot be read: %w", err)
	}
	var list []model.Setting
	for _, row := range rows {
		// A value may contain a newline; those needed here do not.
		if len(row) == 4 {
			list = append(list, model.Setting{Name: row[0], Value: row[1], Default: row[2], Source: row[3]})
		}
	}
	return list, nil
}
