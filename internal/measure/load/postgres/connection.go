package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/pgurl"
	"github.com/loadline/loadline/internal/model/safetext"
)

// connection describes how psql and pgbench connect to an existing server. Everything is passed in
// environment variables: an argument would be parsed as a list of parameters, and is visible in the
// process list. They run as the same user as Loadline, because that user's password file and
// certificates are to be used.
type connection struct {
	env *env.Env
	// uri contains no password; database is the name in it.
	uri, database string
	// variables are libpq's, as NAME=VALUE.
	variables []string
	// local is true if the connection uses a Unix socket or a loopback address.
	local bool
}

// handedOn are the variables that psql and pgbench inherit: those for authentication. All others
// that libpq knows say where to connect or how to behave, which the URL does.
var handedOn = []string{"PGPASSWORD", "PGPASSFILE", "PGSSLMODE", "PGSSLCERT", "PGSSLKEY", "PGSSLROOTCERT", "PGSSLCRL", "PGSSLCRLDIR", "PGSSLSNI", "PGSSLNEGOTIATION",
	"PGSSLMINPROTOCOLVERSION", "PGGSSENCMODE", "PGKRBSRVNAME", "PGGSSLIB", "PGCHANNELBINDING", "PGREQUIREAUTH"}

// ofParameter maps the parameters of a URL to variables.
var ofParameter = map[string]string{
	"sslmode": "PGSSLMODE", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY", "sslrootcert": "PGSSLROOTCERT", "sslcrl": "PGSSLCRL",
	"sslcrldir": "PGSSLCRLDIR", "sslsni": "PGSSLSNI", "sslnegotiation": "PGSSLNEGOTIATION", "ssl_min_protocol_version": "PGSSLMINPROTOCOLVERSION", "gssencmode": "PGGSSENCMODE",
	"krbsrvname": "PGKRBSRVNAME", "channel_binding": "PGCHANNELBINDING", "require_auth": "PGREQUIREAUTH", "connect_timeout": "PGCONNECT_TIMEOUT", "passfile": "PGPASSFILE",
}

// leftOpen are the variables that would fill in what a URL leaves out. A server is identified by
// its URL alone, so that the record shows which one it was.
var leftOpen = map[string][]string{"host": {"PGHOST", "PGHOSTADDR", "PGSERVICE"}, "port": {"PGPORT", "PGSERVICE"}, "user": {"PGUSER", "PGSERVICE"}}

// connect returns a connection for a URL that package target has checked.
func connect(e *env.Env, uri string) (connection, error) {
	c := connection{env: e, uri: uri}
	a, err := pgurl.Parse(uri)
	if err != nil {
		return c, model.RefusedError("the URL of the server is not usable: "+err.Error(), "write postgres://USER@HOST:PORT/DATABASE")
	}
	c.database = a.Database
	said := map[string]string{"PGDATABASE": a.Database, "PGHOST": a.Host, "PGPORT": a.Port, "PGUSER": a.User, "PGCONNECT_TIMEOUT": "10"}
	for _, name := range handedOn {
		said[name] = e.Getenv(name)
	}
	for key, value := range a.Parameters {
		said[ofParameter[key]] = value
	}
	delete(said, "")
	for what, open := range map[string]bool{"host": said["PGHOST"] == "", "port": said["PGPORT"] == "", "user": said["PGUSER"] == ""} {
		for _, name := range leftOpen[what] {
			if open && e.Getenv(name) != "" {
				return c, model.RefusedError(fmt.Sprintf("%s leaves the %s open, and the variable %s would say it: a server is named by its URL alone, so that the report says which one it was", uri, what, name),
					"write it into the URL, postgres://USER@HOST:PORT/DATABASE, or unset "+name)
			}
		}
	}
	for name, value := range said {
		if value != "" {
			c.variables = append(c.variables, name+"="+value)
		}
	}
	host := said["PGHOST"]
	c.local = host == "" || strings.HasPrefix(host, "/") || host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
	return c, nil
}

// account returns the user that the programs run as, with variables for one purpose: options are
// settings of the session, name is the session's name as shown by the server.
func (c connection) account(name, options string) daemon.Account {
	a := daemon.Account{Name: "you", UID: os.Geteuid(), GID: os.Getegid(), Hidden: []string{"PG"}, Set: append([]string{"PGAPPNAME=" + name, "PGOPTIONS=" + options}, c.variables...)}
	return a
}

// Session settings. A load uses the server's own, except for the search path; sessions that only
// query do not wait long for locks, and those that clean up do not wait for a standby.
const (
	bySearchPath = "-c search_path="
	ofLooking    = " -c statement_timeout=0 -c idle_session_timeout=0 -c client_min_messages=warning -c lock_timeout=20s"
	ofClearing   = " -c default_transaction_read_only=off -c synchronous_commit=local"
)

// cancelling is how long psql may take to end a statement after being asked to cancel it.
const cancelling = 10 * time.Second

// psql runs statements, each sent separately. When the context ends, the statement is cancelled on
// the server: if psql were only killed, the statement would keep running.
func (c connection) psql(ctx context.Context, p programs, name, options string, before []string, statements ...string) ([][]string, error) {
	args := append([]string{"-X", "-A", "-t", "-q", "-w", "-F", fieldMark, "-v", "ON_ERROR_STOP=1"}, before...)
	for _, statement := range statements {
		args = append(args, "-c", statement)
	}
	cmd := c.account(name, options).Command(c.env, "/", p.path("psql"), args...)
	var out, errs daemon.Tail
	cmd.Stdout, cmd.Stderr = &out, &errs
	process, err := daemon.Launch(c.env.Clock, cmd)
	if err != nil {
		return nil, model.BrokenError(fmt.Sprintf("psql cannot be started: %v", err), "")
	}
	process.Finish(ctx, syscall.SIGINT, cancelling)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !process.Succeeded():
		return nil, saidError(complaint(errs.String(), fmt.Errorf("psql ended with %s", process.ProcessState)))
	}
	return rowsOf(out.String()), nil
}

// saidError is an error message from a server or libpq.
type saidError string

func (e saidError) Error() string { return string(e) }

// complaint extracts the error from the output of psql or pgbench, on one line: the errors first,
// because their details can be too long to read.
func complaint(said string, err error) string {
	const most = 600
	var words []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"ERROR:", "FATAL:", "PANIC:"} {
			if i := strings.Index(line, mark); i >= 0 {
				line = mark + " " + strings.TrimSpace(line[i+len(mark):])
				words = nil // earlier messages are superseded
			}
		}
		if line != "" {
			words = append(words, line)
		}
	}
	if len(words) == 0 && err != nil {
		return err.Error()
	}
	all := safetext.Clean(strings.Join(words, "; "))
	if len(all) > most {
		all = strings.ToValidUTF8(all[:most], "") + " …"
	}
	return all
}

// rowsOf parses psql's answer.
func rowsOf(said string) (rows [][]string) {
	for line := range strings.Lines(said) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			rows = append(rows, strings.Split(line, fieldMark))
		}
	}
	return rows
}

// unreachable turns the server's answer to a failed connection into a message; each is Refused,
// because nothing was created. The patterns are PostgreSQL's own English messages (the client runs
// with LC_ALL=C; messages of a server in another language are only repeated).
func (c connection) unreachable(err error) error {
	var said saidError
	if !errors.As(err, &said) {
		return err
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(string(said), w) {
				return true
			}
		}
		return false
	}
	why, next := "cannot be reached", "try it yourself: psql "+safetext.ShellWord(c.uri)
	switch {
	case has("the database system is starting up", "not yet accepting connections", "in recovery mode"):
		why, next = "is starting up and does not accept connections yet", "wait until it does: pg_isready -d "+safetext.ShellWord(c.uri)
	case has("the database system is shutting down"):
		why, next = "is shutting down", "start it again"
	case has("too many clients", "connection slots are reserved", "too many connections"):
		why, next = "is full: it takes no more connections", "end some sessions, or raise max_connections"
	case has("password authentication failed", "no password supplied", "SCRAM", "authentication failed"):
		why, next = "does not let us in: the password is wrong or missing", "put it into ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600) or into the variable PGPASSWORD"
	case has("does not exist") && has(`database "`):
		why, next = "has no such database", "psql -l lists them"
	case has("does not exist") && has(`role "`):
		why, next = "knows no such user", "name another one: postgres://USER@HOST/DATABASE"
	case has("unsupported startup parameter"):
		why, next = "is behind a pooler that does not hand on the settings of a session", "name the server itself, and not its pooler"
	case has("no pg_hba.conf entry"):
		why, next = "lets nobody in from here (pg_hba.conf)", "allow it there, or run loadline on another machine"
	case has("permission denied for database"):
		why, next = "does not let this user into the database", "GRANT CONNECT ON DATABASE … TO …"
	}
	return model.RefusedError(fmt.Sprintf("the server %s %s: %s", c.uri, why, string(said)), next)
}
