package harm

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// cruel is a database name that becomes three statements if it is not quoted, and a
// command if it is passed to a shell.
const cruel = `x'; DROP SCHEMA public CASCADE; --"$(touch pwned)`

// somebodysServer starts a PostgreSQL with another user's databases, until the end of the test; address
// returns the URL of one of them.
func somebodysServer(t *testing.T) (address func(database string) string, say func(database string, statements ...string) string) {
	t.Helper()
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres"); len(found) == 0 {
		t.Skip("PostgreSQL is not installed (apt-get install postgresql)")
	}
	dir := lab.ServerDir(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	// The driver for Loadline's own servers starts it, but Loadline is not told that it is one.
	d := postgres.New(env.OS())
	t.Cleanup(func() { _ = d.Leave() })
	if _, err := d.Ready(t.Context(), root, model.PrepareRequest{App: &model.AppRequest{Name: "postgres", Scale: 1, Clients: 8}}, func(model.Progress) {}); err != nil {
		t.Fatal(err)
	}
	say = func(database string, statements ...string) string {
		t.Helper()
		args := []string{"-X", "-At", "-h", filepath.Join(dir, "s"), "-U", "postgres", "-v", "ON_ERROR_STOP=1"}
		for _, s := range statements {
			args = append(args, "-c", s)
		}
		cmd := exec.Command("psql", args...)
		cmd.Env = append(os.Environ(), "PGDATABASE="+database)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", statements, err, out)
		}
		return string(out)
	}
	address = func(database string) string {
		return "postgres://postgres@/" + url.PathEscape(database) + "?host=" + url.QueryEscape(filepath.Join(dir, "s"))
	}
	return address, say
}

// held describes everything of the user's that a database contains, as far as one line each can tell.
const held = `SELECT n.nspname, c.relname, c.relkind, c.relfilenode FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname !~ '^(pg_|information_schema)' ORDER BY 1, 2`

// A user's tables have pgbench's names, a user's schema is named like ours, a user creates a
// view on our tables, and Loadline is killed: everything of the user's stays.
func TestADatabaseOfSomebodysIsLeftAsItWas(t *testing.T) {
	t.Parallel()
	address, say := somebodysServer(t)
	say("loadline", `CREATE DATABASE "`+strings.ReplaceAll(cruel, `"`, `""`)+`"`)
	temp := t.TempDir()
	for _, database := range []string{"loadline", cruel} {
		say(database, "DROP TABLE IF EXISTS pgbench_accounts, pgbench_history", "CREATE TABLE pgbench_accounts (precious text)", "INSERT INTO pgbench_accounts VALUES ('precious')",
			"CREATE TABLE pgbench_history AS SELECT 1 AS precious", "CREATE SCHEMA loadline_20200101_000000_0123456789ab", "CREATE TABLE loadline_20200101_000000_0123456789ab.mine (x int)")
		before := say(database, held)
		ours := func() string {
			return strings.TrimSpace(say(database, "SELECT nspname FROM pg_namespace WHERE nspname ~ '^loadline_' AND nspname <> 'loadline_20200101_000000_0123456789ab'"))
		}
		r := beginWith(t, []string{"TMPDIR=" + temp}, "app", "postgres", address(database), "--scale", "1", "--clients", "2", "--time", "60s")
		eventually(t, "there is a load", func() bool {
			found, _ := filepath.Glob(filepath.Join(temp, ".loadline-*.app/log.*"))
			return len(found) > 0
		})
		schema := ours()
		say(database, "CREATE VIEW public.watching AS SELECT * FROM "+schema+".pgbench_branches")
		_ = r.cmd.Process.Signal(syscall.SIGKILL)
		r.wait(t)
		var o outcome
		eventually(t, "the server has seen the end", func() bool {
			o = beginWith(t, []string{"TMPDIR=" + temp}, "cleanup", address(database)).wait(t)
			return !strings.Contains(o.said(), "a running loadline uses it")
		})
		if o.code != 1 || !strings.Contains(o.said(), "watching") || !strings.Contains(o.said(), schema) {
			t.Errorf("exit code %d", o.code)
		}
		if n := say(database, "SELECT count(*) FROM public.watching"); n != "1\n" {
			t.Errorf("the view shows %s", n)
		}
		say(database, "DROP VIEW public.watching")
		o = beginWith(t, []string{"TMPDIR=" + temp}, "cleanup", address(database)).wait(t)
		if o.code != 0 || ours() != "" || !strings.Contains(o.stdout, "kept    schema loadline_20200101_000000_0123456789ab") {
			t.Errorf("exit code %d", o.code)
		}
		if after := say(database, held); after != before {
			t.Errorf("it held\n%sand holds\n%s", before, after)
		}
		if got := say(database, "SELECT * FROM pgbench_accounts"); got != "precious\n" {
			t.Errorf("%q", got)
		}
		if _, err := os.Stat(filepath.Join(r.cmd.Dir, "pwned")); err == nil {
			t.Error("the name of a database was a command")
		}
	}
}
