package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/external"
)

// existing is what we have created in an existing server: a schema, and the session that holds its lock.
type existing struct {
	connection
	programs programs
	// schema is its name; made is true if it may exist, certain if it does.
	schema        string
	made, certain bool
	hold          *session
	// about is what the examination found.
	about *external.Server
}

// looking is the application name of the sessions that only inspect the server.
const looking = "loadline"

// schemaName matches exactly the names of schemas that Loadline creates: a time and a random part,
// so that two runs that begin in the same second get different names.
var schemaName = regexp.MustCompile(`^loadline_\d{8}_\d{6}_[0-9a-f]{12}$`)

// newSchema returns a random name that needs no quoting.
func newSchema(now time.Time) string {
	var random [6]byte
	_, _ = rand.Read(random[:]) // it never fails
	return "loadline_" + now.UTC().Format("20060102_150405") + "_" + hex.EncodeToString(random[:])
}

// mark is the comment on a schema of ours, by which cleanup recognises it.
const mark = "made by loadline, which removes it at the end of its run, or by: loadline cleanup"

// lockOf returns the statement that requests the lock of a schema, which its run holds.
func lockOf(function, schema string) string {
	return fmt.Sprintf("SELECT %s(hashtextextended('loadline %s', 0))", function, schema)
}

// findClients looks for psql and pgbench, the only programs needed here for an existing server.
func findClients(ctx context.Context, e *env.Env) (programs, error) {
	clients := []string{"psql", "pgbench"}
	for _, dir := range installations(e, "pgbench") {
		if len(missingIn(dir, clients)) == 0 {
			return versionsOf(ctx, e, dir, clients...)
		}
	}
	return programs{}, model.RefusedError("there is no directory on this machine with psql and pgbench: none is on PATH or where packages install them", install)
}

// ask runs statements in inspection sessions.
func (x *existing) ask(ctx context.Context, statements ...string) ([][]string, error) {
	if x.schema == "" {
		return x.psql(ctx, x.programs, looking, bySearchPath+"pg_catalog"+ofLooking, nil, statements...)
	}
	return x.psql(ctx, x.programs, x.schema, bySearchPath+x.schema+ofLooking+ofClearing, nil, statements...)
}

// settings returns the server's settings as they apply to the sessions of a load.
func (x *existing) settings(ctx context.Context) ([]model.Setting, error) {
	list, err := settingsIn(x.psql(ctx, x.programs, looking, bySearchPath+"pg_catalog", nil, settingsOf))
	for i := range list {
		if s := &list[i]; withheld.MatchString(s.Name) && s.Differs() {
			s.Value, s.Default = "(not shown)", ""
		}
	}
	return list, err
}

// withheld matches the settings that may contain a secret: how a standby reaches its primary,
// commands, and all settings of extensions or users (with a dot in the name).
var withheld = regexp.MustCompile(`(?i)[.]|conninfo|command|passphrase|password|secret|token|key`)

// facts reads pairs of a name and a value.
func (x *existing) facts(ctx context.Context, statement string) (map[string]string, error) {
	rows, err := x.ask(ctx, statement)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, row := range rows {
		if len(row) == 2 {
			found[row[0]] = row[1]
		}
	}
	return found, nil
}

// examining is the time limit of the examination.
const examining = 60 * time.Second

// examineExisting connects and inspects; nothing is created. A server that must not be measured is Refused.
func (d *Driver) examineExisting(ctx context.Context, req model.ProbeRequest, found *model.ProbeResult) error {
	p, err := findClients(ctx, d.env)
	if err != nil {
		return err
	}
	c, err := connect(d.env, req.Target.URI)
	if err != nil {
		return err
	}
	ask := model.AppRequest{}
	if req.App != nil {
		ask = *req.App
	}
	if err := refuseShell(ask.Ask.Script); err != nil {
		return err
	}
	if err := begins(ctx, d.env, p, c.account(looking, ""), ask); err != nil {
		return err
	}
	x := &existing{connection: c, programs: p}
	state, err := x.look(ctx, ask)
	if err != nil {
		return err
	}
	found.Tools["postgres"], found.Tools["pgbench"], found.Engines = state.Version, p.version, []string{"pgbench"}
	found.App = state
	return nil
}

// shells matches the commands by which a script starts programs on pgbench's machine, anywhere in a
// line. Between the backslash and the word there may be blanks and line continuations; case is
// ignored.
var shells = regexp.MustCompile(`(?i)\\(?:[ \t\r\f\v]|\\\r*\n)*(?:set)?shell\b`)

// refuseShell refuses, for root, a script that starts programs: pgbench runs as the same user as
// Loadline, because of that user's password file.
func refuseShell(script string) error {
	if os.Geteuid() != 0 || !shells.MatchString(script) {
		return nil
	}
	return model.RefusedError("the script starts programs (\\shell, \\setshell), and they would run as root", "run loadline as another user")
}

// look reads everything that has to be known about a server in advance, and refuses one that must
// not be measured.
func (x *existing) look(ctx context.Context, ask model.AppRequest) (*model.AppState, error) {
	ctx, cancel := context.WithTimeout(ctx, examining)
	defer cancel()
	version, err := x.facts(ctx, `SELECT 'number', current_setting('server_version_num') UNION ALL SELECT 'text', current_setting('server_version')
UNION ALL SELECT 'path', current_setting('search_path') UNION ALL SELECT 'recovery', pg_is_in_recovery()::text`)
	if err != nil {
		return nil, x.unreachable(err)
	}
	number, _ := strconv.Atoi(version["number"])
	x.programs.major = number / 10000
	short, _, _ := strings.Cut(version["text"], " ")
	switch {
	case x.programs.major < oldest || x.programs.major > newest:
		return nil, model.RefusedError(fmt.Sprintf("the server %s is version %s, and Loadline knows %d to %d: other versions keep the counters that are reported with each result in other places", x.uri, short, oldest, newest), "")
	case version["path"] != "pg_catalog":
		// If the search path is not ours, the tables could be created in another user's schema.
		return nil, model.RefusedError(fmt.Sprintf("the server %s does not take the settings of a session (search_path is %q): it is behind a pooler, and tables would come into another's schema", x.uri, version["path"]),
			"name the server itself, and not its pooler")
	case version["recovery"] == "true":
		return nil, model.RefusedError(fmt.Sprintf("the server %s only reads: it is a standby (in recovery), in which nothing can be made", x.uri), "name its primary")
	}
	facts, err := x.facts(ctx, preflight(x.programs.major))
	if err != nil {
		return nil, x.unreachable(err)
	}
	if err := x.refuse(facts, ask); err != nil {
		return nil, err
	}
	state := &model.AppState{Name: "postgres", Version: short}
	if state.Settings, err = x.settings(ctx); err != nil {
		return nil, err
	}
	x.about = &external.Server{Instance: facts["instance"], Checkpoint: facts["checkpoint"] == "true", Remarks: remarks(facts, state), Data: x.dataHere(facts)}
	state.Server = x.about
	return state, nil
}

// beginning is how many seconds later the server's reported start time may be than the one in its file.
const beginning = 2

// dataHere returns the server's data directory if it is certain to be on this machine: the
// connection did not leave it, and the server's file in the directory contains its start time. It
// returns "" if the log or the tables (a tablespace) are elsewhere: the directory's device would
// not be theirs.
func (x *existing) dataHere(facts map[string]string) string {
	dir := facts["directory"]
	if !x.local || !filepath.IsAbs(dir) || facts["tablespace"] != "pg_default" {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) < 3 {
		return ""
	}
	written, err1 := strconv.ParseInt(strings.TrimSpace(lines[2]), 10, 64)
	started, err2 := strconv.ParseInt(facts["started"], 10, 64)
	// The time in the file is taken first, in whole seconds.
	if err1 != nil || err2 != nil || written > started || started-written > beginning {
		return ""
	}
	if info, err := os.Lstat(filepath.Join(dir, "pg_wal")); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}
