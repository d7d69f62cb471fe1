package postgres

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// preflight returns the statement that reads the facts that decide whether a server may be
// measured: pairs of a name and a text. If the user may not see a fact, its text is empty.
func preflight(major int) string {
	reserved := "0"
	if major >= 16 {
		reserved = "current_setting('reserved_connections')::int"
	}
	checkpoint := "r.rolsuper"
	if major >= 15 {
		checkpoint = "r.rolsuper OR pg_has_role('pg_checkpoint', 'USAGE')"
	}
	const progress = `SELECT string_agg(DISTINCT what, ', ') FROM (` + inProgress + `) p`
	return `SELECT x.name, coalesce(x.value, '') FROM (SELECT rolsuper, rolconnlimit FROM pg_roles WHERE rolname = current_user) r, (SELECT datconnlimit, datname FROM pg_database WHERE datname = current_database()) d,
LATERAL (VALUES
('instance', (SELECT system_identifier FROM pg_control_system())::text || '-' || extract(epoch FROM pg_postmaster_start_time())::text),
('started', floor(extract(epoch FROM pg_postmaster_start_time()))::bigint::text),
('user', current_user::text),
('super', r.rolsuper::text),
('readonly', current_setting('default_transaction_read_only')),
('create', has_database_privilege(current_database(), 'CREATE')::text),
('most', current_setting('max_connections')),
('reserved', (CASE WHEN r.rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int + ` + reserved + ` END)::text),
('used', (SELECT sum(numbackends) FROM pg_stat_database)::text),
('limit', CASE WHEN NOT r.rolsuper THEN (SELECT min(free) FROM (VALUES (CASE WHEN r.rolconnlimit < 0 THEN NULL ELSE r.rolconnlimit - (SELECT count(*) FROM pg_stat_activity WHERE usename = current_user) END),
  (CASE WHEN d.datconnlimit < 0 THEN NULL ELSE d.datconnlimit - (SELECT numbackends FROM pg_stat_database WHERE datname = current_database()) END)) f(free)) END::text),
('publications', (SELECT string_agg(quote_ident(pubname), ', ') FROM pg_publication WHERE puballtables)),
('slots', (SELECT string_agg(quote_ident(slot_name), ', ') FROM pg_replication_slots WHERE NOT active)),
('standbys', (SELECT count(*) FROM pg_stat_replication)::text),
('triggers', (SELECT string_agg(quote_ident(evtname), ', ') FROM pg_event_trigger WHERE evtenabled <> 'D')),
('busy', (SELECT count(*) FROM pg_stat_activity WHERE ` + othersBusy + `)::text),
('hidden', (SELECT count(*) FROM pg_stat_activity WHERE ` + othersHidden + `)::text),
('progress', (` + progress + `)),
('checkpoint', (` + checkpoint + `)::text),
('tablespace', CASE WHEN current_setting('default_tablespace') IN ('', 'pg_default') THEN (SELECT t.spcname::text FROM pg_database b JOIN pg_tablespace t ON t.oid = b.dattablespace WHERE b.datname = current_database()) END),
('directory', CASE WHEN r.rolsuper OR pg_has_role('pg_read_all_settings', 'USAGE') THEN current_setting('data_directory') END)
) x(name, value)`
}

// inProgress reads the operations whose progress a server shows.
const inProgress = `SELECT 'vacuum' AS what, relid FROM pg_stat_progress_vacuum UNION ALL SELECT 'analyze', relid FROM pg_stat_progress_analyze
UNION ALL SELECT 'index build', relid FROM pg_stat_progress_create_index UNION ALL SELECT 'cluster', relid FROM pg_stat_progress_cluster
UNION ALL SELECT 'base backup', NULL FROM pg_stat_progress_basebackup UNION ALL SELECT 'copy', relid FROM pg_stat_progress_copy`

// othersBusy selects the active sessions of others, othersHidden those whose state the user may not
// see. Our sessions are recognised by the name of their schema.
const (
	othersBusy   = `backend_type = 'client backend' AND state NOT IN ('idle', 'disabled') AND pid <> pg_backend_pid() AND application_name IS DISTINCT FROM current_setting('application_name')`
	othersHidden = `usesysid IS NOT NULL AND datid IS NOT NULL AND state IS NULL AND backend_type IS NULL AND application_name IS DISTINCT FROM current_setting('application_name')`
)

// extraConnections is the number of connections that a run needs in addition to its clients: the one that
// holds the schema, one for queries, one that samples what sessions wait for, and those that have
// not quite ended.
const extraConnections = 4

// refuse refuses a server that must not be measured, with a message for each reason. facts are the
// results of preflight.
func (x *existing) refuse(facts map[string]string, ask model.AppRequest) error {
	number := func(name string) int { n, _ := strconv.Atoi(facts[name]); return n }
	need, free := ask.Clients+extraConnections, number("most")-number("reserved")-number("used")
	switch {
	case facts["readonly"] == "on":
		return model.RefusedError(fmt.Sprintf("transactions of the server %s only read (default_transaction_read_only is on): somebody, or its provider, protects it", x.uri),
			"look who has set it: SELECT source, sourcefile FROM pg_settings WHERE name = 'default_transaction_read_only'")
	case facts["create"] != "true":
		return model.RefusedError(fmt.Sprintf("the user %s has no right to create a schema in the database %s", facts["user"], x.connection.database),
			fmt.Sprintf("GRANT CREATE ON DATABASE %s TO %s, or name a database made for it", x.connection.database, facts["user"]))
	case facts["publications"] != "":
		return model.RefusedError(fmt.Sprintf("the database %s publishes all its tables (publication %s): the tables of a run would be replicated, and a subscriber that has none stops", x.connection.database, facts["publications"]),
			"name a database made for it: CREATE DATABASE, then postgres://USER@HOST/THAT")
	case free < need:
		return model.RefusedError(fmt.Sprintf("the server %s has %d connections free (max_connections %d, %d reserved, %d in use), and %d clients need %d", x.uri, max(0, free), number("most"), number("reserved"), number("used"), ask.Clients, need),
			"fewer clients (--clients 1,4), or end some sessions, or raise max_connections")
	case facts["limit"] != "" && number("limit") < need:
		return model.RefusedError(fmt.Sprintf("the user %s, or the database %s, may have %d more connections (CONNECTION LIMIT), and %d clients need %d", facts["user"], x.connection.database, max(0, number("limit")), ask.Clients, need),
			"fewer clients (--clients 1,4), or a higher limit")
	}
	return nil
}

// remarks returns messages about conditions that do not prevent a measurement.
func remarks(facts map[string]string, state *model.AppState) (list []string) {
	say := func(when bool, format string, a ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, a...))
		}
	}
	is := func(name, value string) bool { v, known := state.Setting(name); return known && v == value }
	say(is("fsync", "off"), "fsync=off: the server flushes nothing, and its numbers are durability unproven")
	say(is("synchronous_commit", "off"), "synchronous_commit=off: nobody waits for a flush, and the numbers are durability unproven")
	say(is("full_page_writes", "off"), "full_page_writes=off: a page that is torn by a loss of power stays torn, and the numbers are durability unproven")
	say(is("data_checksums", "off"), "data_checksums=off: the server does not notice a page that its storage has changed; one with checksums logs hint bits as well, and so writes more for the same transactions")
	say(facts["slots"] != "", "inactive replication slots (%s) keep all of the log that is written from now on: look at the space of the server", facts["slots"])
	say(facts["standbys"] != "" && facts["standbys"] != "0", "%s standbys or receivers get the log of the run as well", facts["standbys"])
	archive, known := state.Setting("archive_mode")
	say(known && archive != "off", "archive_mode=%s: the log of the run goes into the archive as well", archive)
	say(facts["triggers"] != "", "event triggers (%s) see that a schema and tables are made", facts["triggers"])
	say(facts["busy"] != "" && facts["busy"] != "0", "%s sessions of others work at this moment", facts["busy"])
	say(facts["hidden"] != "" && facts["hidden"] != "0", "what %s sessions of others do may not be seen: GRANT pg_monitor TO this user shows it", facts["hidden"])
	say(facts["progress"] != "", "the server has in progress: %s", facts["progress"])
	say(facts["checkpoint"] != "true", "no right to CHECKPOINT (superuser, or from version 15 on pg_checkpoint): phases of the checkpoint cycle not controlled")
	say(is("track_counts", "off"), "track_counts=off: hits, reads, vacuums and the transactions of others are not known")
	say(is("track_io_timing", "off"), "track_io_timing=off: the time in reads is not known")
	say(is("track_wal_io_timing", "off"), "track_wal_io_timing=off: the time of flushes is not known, and so not whether the storage bounds the rate; ALTER SYSTEM SET track_wal_io_timing=on shows it")
	method, _ := state.Setting("wal_sync_method")
	say(strings.HasPrefix(method, "open_"), "wal_sync_method=%s: each write of the log is its flush, which the server does not count", method)
	return list
}
