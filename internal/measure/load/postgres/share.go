package postgres

import (
	"context"
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

// countedBeside returns the part of the counters' statement that shows whether the counts are all
// ours and cover one continuous period: the transactions in all databases, and when statistics were
// last reset.
func countedBeside(major int) string {
	s := `
UNION ALL SELECT 'transactions', sum(xact_commit+xact_rollback)::float8 FROM pg_stat_database
UNION ALL SELECT 'reset_wal', extract(epoch FROM stats_reset)::float8 FROM pg_stat_wal
UNION ALL SELECT 'reset_bgwriter', extract(epoch FROM stats_reset)::float8 FROM pg_stat_bgwriter
UNION ALL SELECT 'reset_database', extract(epoch FROM stats_reset)::float8 FROM pg_stat_database WHERE datname=current_database()`
	if major >= 16 {
		s += ` UNION ALL SELECT 'reset_io', max(extract(epoch FROM stats_reset))::float8 FROM pg_stat_io`
	}
	if major >= 17 {
		s += ` UNION ALL SELECT 'reset_checkpointer', extract(epoch FROM stats_reset)::float8 FROM pg_stat_checkpointer`
	}
	return s
}

// ofSession is how many transactions the server counts for a session in addition to its own: its
// start counts as one. allowance is the number of inspection sessions and the server's own
// transactions.
const (
	ofSession = 1
	allowance = 30
)

// doubt removes the counts that are invalid, and adds what others did meanwhile. asked is how often the
// session that samples has asked: each is a transaction for the server.
func (s *server) doubt(state *model.AppState, w model.Workload, c *model.AppCounts, asked int, before, after map[string]float64) {
	if x := s.exists; x != nil {
		looked := x.hold.take()
		looked.tell(c)
		a, b := before["transactions"], after["transactions"]
		// What counts as a transaction in a user's script is unknown.
		if w.App.Script == "" && b > a {
			ours := float64(c.Transactions + c.Failed)
			if w.App.Reconnect {
				ours *= 1 + ofSession
			}
			others := max(0, b-a-ours-float64(looked.looks+asked+(1+ofSession)*max(1, w.Depth)+allowance))
			c.Others = &others
		}
	}
	blindOf(state).forget(c)
	if begunAnew(before, after) {
		none(c)
	}
}

// attend checks, before a repeat, whether our schema in an existing server is still there and held.
func (s *server) attend(ctx context.Context) error {
	x := s.exists
	if x == nil {
		return nil
	}
	row, err := x.hold.ask(ctx, fmt.Sprintf("SELECT 'there', (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '%s' AND c.relname LIKE 'pgbench%%');", x.schema))
	switch {
	case err != nil:
		return fmt.Errorf("the session that holds the schema %s was lost: %w", x.schema, err)
	case len(row) != 2 || row[1] == "0":
		return fmt.Errorf("the tables of the schema %s are gone: somebody has removed them", x.schema)
	}
	x.hold.take()
	return nil
}

// lost returns a message that an existing server has ended our session, with the server's own words.
func (x *existing) lost() string {
	return fmt.Sprintf("the server %s ended the session that holds the schema %s: %s; it may have ended, or somebody has ended the session", x.uri, x.schema,
		complaint(x.hold.errs.String(), fmt.Errorf("the connection was closed")))
}

// processes returns the server's main process.
func (s *server) processes() watched {
	switch {
	case s.remote:
		return watched{}
	case s.exists != nil:
		return watched{here: true}
	}
	return watched{here: true, pid: s.process.Process.Pid}
}
