package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

func TestExistingServerIsLoadedAndLeftAsItWas(t *testing.T) {
	t.Parallel()
	x := startTheirs(t, "track_io_timing=on", "track_wal_io_timing=on", "app.jwt=hunter2", "archive_cleanup_command=curl -u me:hunter2 x", "primary_conninfo=password=hunter2")
	// Another user's tables of the same names.
	x.say(database, "CREATE TABLE public.pgbench_accounts (mine int)", "INSERT INTO public.pgbench_accounts VALUES (1)",
		"CREATE ROLE guest LOGIN", "GRANT CREATE ON DATABASE loadline TO guest", "ALTER ROLE guest SET search_path = public")
	for _, user := range []string{"postgres", "guest"} {
		super := user == "postgres"
		state, err := x.examine(x.url(user, database), 4)
		if err != nil {
			t.Fatal(err)
		}
		if state.Version == "" || state.Server.Instance == "" || state.Server.Checkpoint != super || len(state.Settings) < 200 {
			t.Errorf("%s: %+v, %d settings", user, state.Server, len(state.Settings))
		}
		for _, s := range state.Settings {
			if strings.Contains(s.Value+s.Default, "hunter2") {
				t.Errorf("%s: a secret is told: %+v", user, s)
			}
		}
		// Only root can read the file that proves where the server is, and only superusers can ask
		// for its path.
		if (state.Server.Data == x.data) != super || strings.Contains(strings.Join(state.Server.Remarks, ";"), "not controlled") == super {
			t.Errorf("%s: %+v", user, state.Server)
		}
		d, state := x.load(x.url(user, database))
		if !schemaName.MatchString(state.Server.Schema) || state.Data < 10<<20 {
			t.Errorf("%+v %d", state.Server, state.Data)
		}
		res, seconds, err := x.repeat(d, ask(4, 2), nil)
		if err != nil || res.Error != "" || seconds != 2 {
			t.Fatalf("%v %q, %d samples", err, res.Error, seconds)
		}
		c := res.App
		if c.Transactions == 0 || c.Flushes == nil || *c.Flushes <= 0 || c.FlushSeconds == nil || c.Others == nil || *c.Others > 0.02*float64(c.Transactions) {
			t.Errorf("%s: %+v", user, c)
		}
		if (c.Busy != nil) != super && super {
			t.Errorf("%s: busy %v", user, c.Busy)
		}
		if err := d.Leave(); err != nil {
			t.Error(err)
		}
		x.clean()
	}
	if rows := x.say(database, "SELECT mine FROM public.pgbench_accounts"); len(rows) != 1 || rows[0][0] != "1" {
		t.Errorf("somebody's table is now %v", rows)
	}
}

// Anything that rules out a measurement is refused before anything is created.
func TestExistingServerRefusals(t *testing.T) {
	x := startTheirs(t, "max_connections=12", "wal_level=logical", "max_replication_slots=4")
	x.say("postgres", "CREATE DATABASE published", "CREATE ROLE guest LOGIN", "CREATE ROLE few LOGIN CONNECTION LIMIT 2", "GRANT CREATE ON DATABASE loadline TO few",
		"CREATE ROLE reader LOGIN", "GRANT CREATE ON DATABASE loadline TO reader", "ALTER ROLE reader SET default_transaction_read_only = on",
		"CREATE ROLE locked LOGIN PASSWORD 'hunter2'", "SELECT pg_create_physical_replication_slot('old', true)")
	x.say("published", "CREATE PUBLICATION everything FOR ALL TABLES")
	x.write("pg_hba.conf", "local all locked scram-sha-256\nlocal all all trust\n")
	x.say("postgres", "SELECT pg_reload_conf()")
	for _, c := range []struct {
		url     string
		clients int
		words   string
	}{
		{x.url("postgres", "nowhere"), 1, "has no such database"},
		{x.url("nobody", database), 1, "knows no such user"},
		{x.url("locked", database), 1, "the password is wrong or missing"},
		{x.url("guest", database), 1, "no right to create a schema"},
		{x.url("reader", database), 1, "only read (default_transaction_read_only is on)"},
		{x.url("few", database), 1, "(CONNECTION LIMIT), and 1 clients need 5"},
		{x.url("postgres", "published"), 1, "publishes all its tables (publication everything)"},
		{x.url("postgres", database), 10, "connections free (max_connections 12, 0 reserved"},
		{"postgres://postgres@/loadline?host=%2Fno%2Fsuch", 1, "cannot be reached"},
	} {
		_, err := x.examine(c.url, c.clients)
		modeltest.Refused(t, err, c.words)
	}
	t.Setenv("PGPASSWORD", "hunter3")
	_, err := x.examine(x.url("locked", database), 1)
	modeltest.Refused(t, err, "the password is wrong or missing")
	if strings.Contains(err.Error(), "hunter") {
		t.Errorf("the password is said: %v", err)
	}
	t.Setenv("PGHOST", "elsewhere")
	_, err = x.examine("postgres://postgres@/loadline", 1)
	modeltest.Refused(t, err, "leaves the host open, and the variable PGHOST would say it")
	if state, err := x.examine(x.url("postgres", database), 4); err != nil || !strings.Contains(strings.Join(state.Server.Remarks, ";"), "inactive replication slots (old)") {
		t.Errorf("%+v %v", state, err)
	}
	// Until version 18, a cluster has no checksums unless it is asked for.
	state, err := x.examine(x.url("postgres", database), 4)
	if err != nil || x.programs.major < 18 && !strings.Contains(strings.Join(state.Server.Remarks, ";"), "data_checksums=off: the server does not notice a page") {
		t.Errorf("%+v %v", state, err)
	}
	x.clean()
	// A standby is read-only.
	if err := x.stop(); err != nil {
		t.Fatal(err)
	}
	x.write("standby.signal", "")
	x.begin("hot_standby=on", "wal_level=logical", "max_connections=12", "max_replication_slots=4")
	_, err = x.examine(x.url("postgres", database), 1)
	modeltest.Refused(t, err, "it is a standby")
}

// A server's answer to a failed connection becomes a message, and is refused.
func TestUnreachable(t *testing.T) {
	c := connection{uri: "postgres://u@h/d"}
	for said, words := range map[string]string{
		"FATAL:  the database system is starting up":                                                                   "is starting up",
		"FATAL:  the database system is not yet accepting connections":                                                 "is starting up",
		"FATAL:  the database system is shutting down":                                                                 "is shutting down",
		"FATAL:  sorry, too many clients already":                                                                      "is full",
		"FATAL:  remaining connection slots are reserved for non-replication superuser connections":                    "is full",
		"FATAL:  unsupported startup parameter: options":                                                               "behind a pooler",
		`FATAL:  no pg_hba.conf entry for host "10.0.0.1", user "u", database "d", no encryption`:                      "lets nobody in from here",
		`FATAL:  permission denied for database "d"`:                                                                   "does not let this user into the database",
		"psql: error: connection to server at \"h\" (10.0.0.1), port 5432 failed: Connection refused\n\tIs the server": "cannot be reached",
	} {
		modeltest.Refused(t, c.unreachable(saidError(complaint(said, nil))), words)
	}
	long := "ERROR:  cannot drop table x because other objects depend on it\nDETAIL:  view a depends on table x\n" + strings.Repeat("view b depends on table x\n", 40) + "HINT:  Use DROP ... CASCADE to drop the dependent objects too.\n"
	if got := complaint(long, nil); !strings.HasPrefix(got, "ERROR: cannot drop table x") || !strings.Contains(got, "view a") {
		t.Errorf("the error is hidden: %s", got)
	}
}

// A commit that no standby confirms waits forever: it has a time limit, and leaves nothing behind.
func TestExistingServerWhoseStandbyIsGone(t *testing.T) {
	was := creating
	creating = 3 * time.Second
	t.Cleanup(func() { creating = was })
	x := startTheirs(t)
	x.say("postgres", "SET synchronous_commit = local", "ALTER SYSTEM SET synchronous_standby_names = 'gone'", "SELECT pg_reload_conf()")
	d, _, err := x.ready(x.url("postgres", database), 1)
	var w *model.WorkerError
	if !errors.As(err, &w) || w.Class != model.Broken || !strings.Contains(err.Error(), "did not confirm CREATE SCHEMA loadline_") || !strings.Contains(err.Error(), "(gone) that does not answer") || !strings.Contains(w.Hint, "loadline cleanup ") {
		t.Errorf("%v", err)
	}
	if err := d.Leave(); err != nil {
		t.Error(err)
	}
	x.clean()
}

// Objects of others that depend on our tables are never removed with them.
func TestExistingServerWithDependents(t *testing.T) {
	x := startTheirs(t)
	d, state := x.load(x.url("postgres", database))
	x.say(database, "CREATE VIEW public.watching AS SELECT * FROM "+state.Server.Schema+".pgbench_branches")
	if err := d.Leave(); err == nil || !strings.Contains(err.Error(), state.Server.Schema) || !strings.Contains(err.Error(), "ERROR: cannot drop") || !strings.Contains(err.Error(), "watching") {
		t.Errorf("%v", err)
	}
	clean := func() ([]Left, error) { return RemoveLeft(t.Context(), env.OS(), x.url("postgres", database)) }
	if _, err := clean(); err == nil || !strings.Contains(err.Error(), "watching") {
		t.Errorf("%v", err)
	}
	if n := x.say(database, "SELECT count(*) FROM public.watching")[0][0]; n != "1" {
		t.Errorf("the view shows %s rows", n)
	}
	// A schema without our comment and one whose name only resembles ours: they stay.
	x.say(database, "DROP VIEW public.watching", "CREATE SCHEMA loadline_20200101_000000_0123456789ab", "CREATE SCHEMA loadline_mine")
	left, err := clean()
	if err != nil || len(left) != 2 || left[0].Stays == "" || left[1].Schema != state.Server.Schema || left[1].Stays != "" {
		t.Errorf("%+v %v", left, err)
	}
	x.say(database, "DROP SCHEMA loadline_20200101_000000_0123456789ab", "DROP SCHEMA loadline_mine")
	x.clean()
}

// A schema whose run is live stays; one whose session was ended is not measured further.
func TestExistingServerHolds(t *testing.T) {
	x := startTheirs(t)
	d, state := x.load(x.url("postgres", database))
	left, err := RemoveLeft(t.Context(), env.OS(), x.url("postgres", database))
	if err != nil || len(left) != 1 || !strings.Contains(left[0].Stays, "a running loadline uses it") {
		t.Errorf("%+v %v", left, err)
	}
	x.say("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+state.Server.Schema+"'")
	_, _, err = x.repeat(d, ask(2, 1), nil)
	if err == nil || !strings.Contains(err.Error(), state.Server.Schema) {
		t.Errorf("%v", err)
	}
	// Transactions have been made read-only by default meanwhile: ours are removed all the same.
	x.say("postgres", "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
	if err := d.Leave(); err != nil {
		t.Error(err)
	}
	x.clean()
}

// The server is killed during a repeat: what was measured is kept.
func TestExistingServerDies(t *testing.T) {
	x := startTheirs(t)
	d, state := x.load(x.url("postgres", database))
	res, seconds, err := x.repeat(d, ask(2, 60), func() { _ = syscall.Kill(x.process.Process.Pid, syscall.SIGQUIT) })
	if err != nil || seconds == 0 || !strings.Contains(res.Lost, state.Server.Schema) {
		t.Errorf("%v, lost %q, error %q, %d seconds", err, res.Lost, res.Error, seconds)
	}
	if err := d.Leave(); err == nil || !strings.Contains(err.Error(), "stays in the server") || !strings.Contains(err.Error(), state.Server.Schema) {
		t.Errorf("%v", err)
	}
	x.begin()
	if left, err := RemoveLeft(t.Context(), env.OS(), x.url("postgres", database)); err != nil || len(left) != 1 || left[0].Stays != "" {
		t.Errorf("%+v %v", left, err)
	}
	x.clean()
}

// A filesystem that fills up while the tables are created.
func TestExistingServerIsFull(t *testing.T) {
	x := startTheirs(t)
	small := newWorkDir(t)
	if err := syscall.Mount("loadline-test", small, "tmpfs", 0, "size=8m,mode=0777"); err != nil {
		t.Skipf("no mount here: %v", err)
	}
	t.Cleanup(func() { _ = x.stop(); _ = syscall.Unmount(small, 0) })
	inside := filepath.Join(small, "space")
	if err := errors.Join(os.Mkdir(inside, 0o700), os.Lchown(inside, x.account.UID, x.account.GID)); err != nil {
		t.Fatal(err)
	}
	x.say("postgres", "CREATE TABLESPACE small LOCATION '"+inside+"'", "ALTER ROLE postgres SET default_tablespace = small")
	if state, err := x.examine(x.url("postgres", database), 1); err != nil || state.Server.Data != "" {
		t.Errorf("tables are elsewhere than in %q: %v", state.Server.Data, err)
	}
	d, _, err := x.ready(x.url("postgres", database), 2)
	if err == nil || !strings.Contains(err.Error(), "has no space left for its tables") {
		t.Errorf("%v", err)
	}
	if err := d.Leave(); err != nil {
		t.Error(err)
	}
	x.clean()
}
