package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/external"
)

// existing is what is ours in a server that exists: a schema, and the session that holds it.
type existing struct {
	connection
	programs programs
	// schema is its name, made that it may be there, certain that it is.
	schema        string
	made, certain bool
	hold          *session
	// about is what was found before.
	about *external.Server
}

// looking is the name by which the server lists the sessions that only look around.
const looking = "loadline"

// schemaName is what the schemas are called that Loadline makes, exactly: a time and a random
// part, so that two runs that begin in one second have two.
var schemaName = regexp.MustCompile(`^loadline_\d{8}_\d{6}_[0-9a-f]{12}$`)

// newSchema draws a name. It needs no quotation marks.
func newSchema(now time.Time) string {
	var random [6]byte
	_, _ = rand.Read(random[:]) // it never fails
	return "loadline_" + now.UTC().Format("20060102_150405") + "_" + hex.EncodeToString(random[:])
}

// mark is the comment on a schema of ours, by which cleanup knows it.
const mark = "made by loadline, which removes it at the end of its run, or by: loadline cleanup"

// lockOf is the statement that asks for the lock of a schema, which its run holds.
func lockOf(function, schema string) string {
	return fmt.Sprintf("SELECT %s(hashtextextended('loadline %s', 0))", function, schema)
}

// findClients looks for psql and pgbench, which are all that a server that exists needs here.
func findClients(ctx context.Context, e *env.Env) (programs, error) {
	var dirs []string
	if path, err := e.LookPath("pgbench"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	var installed []string
	for _, place := range places {
		found, _ := filepath.Glob(place)
		installed = append(installed, found...)
	}
	slices.SortStableFunc(installed, func(a, b string) int { return numberIn(b) - numberIn(a) })
	for _, dir := range append(dirs, installed...) {
		complete := true
		for _, name := range []string{"psql", "pgbench"} {
			info, err := os.Stat(filepath.Join(dir, name))
			complete = complete && err == nil && info.Mode()&0o111 != 0
		}
		if complete {
			return versionsOf(ctx, e, dir, "psql", "pgbench")
		}
	}
	return programs{}, model.RefusedError("there is no directory on this machine with psql and pgbench: none is on PATH or where packages install them", install)
}

// ask runs statements in sessions that look.
func (x *existing) ask(ctx context.Context, statements ...string) ([][]string, error) {
	if x.schema == "" {
		return x.psql(ctx, x.programs, looking, bySearchPath+"pg_catalog"+ofLooking, nil, statements...)
	}
	return x.psql(ctx, x.programs, x.schema, bySearchPath+x.schema+ofLooking+ofClearing, nil, statements...)
}

// settings are those of the server, as the sessions of a load have them.
func (x *existing) settings(ctx context.Context) ([]model.Setting, error) {
	list, err := settingsIn(x.psql(ctx, x.programs, looking, bySearchPath+"pg_catalog", nil, settingsOf))
	for i := range list {
		if s := &list[i]; withheld.MatchString(s.Name) && s.Differs() {
			s.Value, s.Default = "(not shown)", ""
		}
	}
	return list, err
}

// withheld are the settings that may hold a secret: how a standby reaches its primary, commands,
// and whatever an extension or a user has given a name with a dot.
var withheld = regexp.MustCompile(`(?i)[.]|conninfo|command|passphrase|password|secret|token|key`)

// facts asks for pairs of a name and a value.
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

// examining bounds what the look around may take.
const examining = 60 * time.Second

// examineExisting connects and looks; nothing is made. What forbids to measure is refused.
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
	x := &existing{connection: c, programs: p}
	state, err := x.look(ctx, ask)
	if err != nil {
		return err
	}
	found.Tools["postgres"], found.Tools["pgbench"], found.Engines = state.Version, p.version, []string{"pgbench"}
	found.App = state
	return nil
}

// shells are the commands by which a script starts programs on the machine of pgbench, anywhere in
// a line. Blanks may stand between the backslash and the word, and ends of lines behind a backslash
// of their own; capitals are taken for small letters.
var shells = regexp.MustCompile(`(?i)\\(?:[ \t\r\f\v]|\\\r*\n)*(?:set)?shell\b`)

// refuseShell refuses, as root, a script that starts programs: pgbench runs as whom Loadline does,
// for the sake of that user's password file.
func refuseShell(script string) error {
	if os.Geteuid() != 0 || !shells.MatchString(script) {
		return nil
	}
	return model.RefusedError("the script starts programs (\\shell, \\setshell), and they would run as root", "run loadline as another user")
}

// look asks a server everything that is to be known before, and refuses one that is not to be
// measured.
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
		return nil, model.RefusedError(fmt.Sprintf("the server %s is version %s, and Loadline knows %d to %d: others count elsewhere what stands beside each result", x.uri, short, oldest, newest), "")
	case version["path"] != "pg_catalog":
		// What would make tables on another path could make them in another's schema.
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

// beginning is by how many seconds a server's own start may lie behind that in its file.
const beginning = 2

// dataHere is the server's directory where it is certain that it is on this machine: the
// connection did not leave it, and the file that the server has there tells its start. A directory
// whose log, or whose tables (a tablespace), are elsewhere is none: its device would not be theirs.
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
	// The file's time is taken first, in whole seconds.
	if err1 != nil || err2 != nil || written > started || started-written > beginning {
		return ""
	}
	if info, err := os.Lstat(filepath.Join(dir, "pg_wal")); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}
