package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// theirs is a server that, for the code under test, already exists.
type theirs struct {
	*server
	t *testing.T
}

// startTheirs starts such a server with settings, and with a database "loadline" in it.
func startTheirs(t *testing.T, set ...string) *theirs {
	t.Helper()
	dir := newWorkDir(t)
	p, err := findPrograms(t.Context(), env.OS())
	if err != nil {
		t.Fatal(err)
	}
	a, err := chooseAccount()
	if err != nil {
		t.Fatal(err)
	}
	s, err := initialise(t.Context(), env.OS(), p, a, openDir(t, dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	x := &theirs{s, t}
	t.Cleanup(func() { _ = x.server.stop() })
	x.begin(set...)
	x.say("postgres", "CREATE DATABASE "+database)
	return x
}

// begin starts the server; it may have been stopped before.
func (x *theirs) begin(set ...string) {
	x.t.Helper()
	x.server = &server{env: x.env, programs: x.programs, account: x.account, root: x.root, dir: x.dir, data: x.data, socket: x.socket}
	// The owner of such a server gives the path of its data directory.
	if err := x.start(x.t.Context(), append([]string{"data_directory=" + x.data}, set...)); err != nil {
		x.t.Fatal(err)
	}
}

// say runs statements in one of its databases.
func (x *theirs) say(db string, statements ...string) [][]string {
	x.t.Helper()
	rows, err := x.ask(x.t.Context(), db, statements...)
	if err != nil {
		x.t.Fatalf("%v: %v", statements, err)
	}
	return rows
}

// url returns the URL for a user and a database.
func (x *theirs) url(user, db string) string {
	return fmt.Sprintf("postgres://%s@/%s?host=%s", user, db, strings.ReplaceAll(x.socket, "/", "%2F"))
}

// examine examines the server for the given number of clients.
func (x *theirs) examine(url string, clients int) (*model.AppState, error) {
	found := &model.ProbeResult{Tools: map[string]string{}}
	err := New(env.OS()).Examine(x.t.Context(), model.ProbeRequest{Target: model.Target{Name: url, Kind: model.Postgres, URI: url}, App: &model.AppRequest{Name: "postgres", Clients: clients}}, found)
	return found.App, err
}

// ready creates a schema in it.
func (x *theirs) ready(url string, scale int) (*Driver, *model.AppState, error) {
	x.t.Helper()
	dir, err := os.MkdirTemp("", "pgc")
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	d := New(env.OS())
	x.t.Cleanup(func() { _ = d.Leave() })
	state, err := d.Ready(x.t.Context(), openDir(x.t, dir), model.PrepareRequest{
		Volume: model.Volume{Target: model.Target{Name: url, Kind: model.Postgres, URI: url}},
		App:    &model.AppRequest{Name: "postgres", Scale: scale, Clients: 4},
	}, func(model.Progress) {})
	return d, state, err
}

// load returns a driver with a schema.
func (x *theirs) load(url string) (*Driver, *model.AppState) {
	x.t.Helper()
	d, state, err := x.ready(url, 1)
	if err != nil {
		x.t.Fatal(err)
	}
	return d, state
}

// repeat runs a repeat, and calls meanwhile after its first second.
func (x *theirs) repeat(d *Driver, req model.StartRequest, meanwhile func()) (model.StepResult, int, error) {
	n := 0
	res, err := d.Run(x.t.Context(), req, load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			if n++; n == 1 && meanwhile != nil {
				meanwhile()
			}
		}
	})
	return res, n, err
}

// clean fails the test if a schema or session of ours is left.
func (x *theirs) clean() {
	x.t.Helper()
	var left [][]string
	// A session that was ended may still be listed for a moment.
	for range 100 {
		left = x.say(database, `SELECT 'schema '||nspname FROM pg_namespace WHERE nspname LIKE 'loadline%' UNION ALL SELECT 'session '||application_name||': '||left(query, 40) FROM pg_stat_activity WHERE application_name LIKE 'loadline%'`)
		if len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, row := range left {
		x.t.Errorf("%s is left", row[0])
	}
}

// write writes a file in the server's directory, owned by the server's user.
func (x *theirs) write(name, text string) {
	x.t.Helper()
	if err := os.WriteFile(filepath.Join(x.data, name), []byte(text), 0o600); err != nil {
		x.t.Fatal(err)
	}
	if err := x.account.Give(x.root, filepath.Join("data", name)); err != nil {
		x.t.Fatal(err)
	}
}
