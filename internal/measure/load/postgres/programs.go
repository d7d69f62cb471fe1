package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
)

// The supported versions: before 14 there is no pg_stat_wal, and versions after newest may keep
// their counters elsewhere.
const (
	oldest = 14
	newest = 18
)

// programs are the programs of one installation.
type programs struct {
	dir string
	// version is the server's ("15.18"), major its first number.
	version string
	major   int
}

// needed are the programs that an installation must have.
var needed = []string{"postgres", "initdb", "psql", "pgbench"}

// places are where packages install PostgreSQL: Debian's, PGDG's for Fedora, and Homebrew's.
var places = []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/lib64/pgsql/postgresql-*/bin", "/opt/homebrew/opt/postgresql@*/bin", "/usr/bin"}

// findPrograms looks for an installation that has all programs: the one on PATH, or else the newest
// of those installed by packages.
func findPrograms(ctx context.Context, e *env.Env) (programs, error) {
	dirs := installations(e, "postgres")
	lacking := map[string][]string{}
	for _, dir := range dirs {
		missing := missingIn(dir, needed)
		if len(missing) == 0 {
			return versionOf(ctx, e, dir)
		}
		if !slices.Contains(missing, "postgres") {
			lacking[dir] = missing
		}
	}
	for _, dir := range dirs {
		if missing := lacking[dir]; missing != nil {
			return programs{}, model.RefusedError(fmt.Sprintf("the PostgreSQL in %s lacks %s, which Loadline runs", dir, strings.Join(missing, " and ")), install)
		}
	}
	return programs{}, model.RefusedError("there is no PostgreSQL on this machine: no program named postgres is on PATH or where packages install it", install)
}

// installations lists the directories that may hold PostgreSQL's programs: that of the one on PATH, then those of packages, the
// newest first.
func installations(e *env.Env, program string) (dirs []string) {
	if path, err := e.LookPath(program); err == nil {
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
	return append(dirs, installed...)
}

// missingIn returns those of the programs that a directory does not have.
func missingIn(dir string, programs []string) (missing []string) {
	for _, name := range programs {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode()&0o111 == 0 {
			missing = append(missing, name)
		}
	}
	return missing
}

// install is a hint for installing PostgreSQL.
const install = "apt-get install postgresql   (Debian; Fedora: dnf install postgresql-server postgresql-contrib)"

// numberIn returns the last number in a path, 0 if there is none.
func numberIn(path string) int {
	all := number.FindAllString(path, -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(all[len(all)-1])
	return n
}

var (
	number      = regexp.MustCompile(`\d+`)
	saidVersion = regexp.MustCompile(`^\w+ \(PostgreSQL\) ((\d+)[^ \n]*)`)
)

// versionOf asks the server and pgbench for their versions. Both must be supported, and of the same
// major version: otherwise the installation is only half upgraded.
func versionOf(ctx context.Context, e *env.Env, dir string) (programs, error) {
	return versionsOf(ctx, e, dir, "pgbench", "postgres")
}

// versionsOf asks some of an installation's programs for their versions.
func versionsOf(ctx context.Context, e *env.Env, dir string, names ...string) (programs, error) {
	p := programs{dir: dir}
	for _, name := range names {
		path := filepath.Join(dir, name)
		said, err := e.Command(ctx, path, "--version").CombinedOutput()
		m := saidVersion.FindSubmatch(said)
		if err != nil || m == nil {
			return p, model.RefusedError(fmt.Sprintf("%s does not tell its version: %s", path, daemon.Quote(string(said), err)), "try it yourself: "+path+" --version")
		}
		major, _ := strconv.Atoi(string(m[2]))
		if major < oldest || major > newest {
			return p, model.RefusedError(fmt.Sprintf("%s is version %s, and Loadline knows %d to %d: other versions keep the counters that are reported with each result in other places", path, m[1], oldest, newest),
				"put another one first on PATH: PATH=/usr/lib/postgresql/15/bin:$PATH loadline …")
		}
		if p.major != 0 && p.major != major {
			return p, model.RefusedError(fmt.Sprintf("in %s, %s is version %s and %s %s: they must be of one major version", dir, names[0], p.version, name, m[1]), "install both from one package")
		}
		p.version, p.major = string(m[1]), major
	}
	return p, nil
}

// path returns the path of a program.
func (p programs) path(name string) string { return filepath.Join(p.dir, name) }
