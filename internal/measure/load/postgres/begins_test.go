package postgres

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// Each version is asked whether it would begin a load, and what it would not begin is refused before anything is
// created. Variables that say where a server is, and how messages look, make no difference.
func TestEachVersionRefusesWhatItWouldNotBegin(t *testing.T) {
	for name, value := range map[string]string{"PGHOST": "localhost", "PGHOSTADDR": "127.0.0.1", "PGSERVICE": "none", "PGOPTIONS": "-c nothing=1", "PGSSLMODE": "odd", "PGPASSFILE": "/none",
		"PG_COLOR": "always", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"} {
		t.Setenv(name, value)
	}
	onEachVersion(t, func(t *testing.T, e *env.Env, major int) {
		dir := newWorkDir(t)
		p, err := findPrograms(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		a, err := chooseAccount()
		if err != nil {
			t.Fatal(err)
		}
		examine := func(ask model.AppAsk) error {
			request := model.AppRequest{Name: "postgres", Clients: 4, Ask: ask}
			return New(e).Examine(t.Context(), model.ProbeRequest{Target: model.Target{Name: dir, Kind: model.Postgres, Path: dir}, App: &request}, &model.ProbeResult{Tools: map[string]string{}})
		}
		for _, fine := range []model.AppAsk{
			{}, {Connect: true, Threads: 2}, {Rate: 100, Limit: .02}, {Rate: .001},
			{Options: []string{"--protocol=prepared", "--max-tries=3", "--random-seed=time", "--scale=5", "-Dx=1", "-n", "-r"}},
			{Options: []string{"--progress=1", "--progress-timestamp"}},
			{Script: "\\set x random(1, 10)\n\\sleep 1 ms\n\\shell touch " + filepath.Join(dir, "ran") + "\n\\if :x > 1\nSELECT :x;\n\\endif\n"},
			{Script: "SELECT 1", Options: []string{"--define=x=y"}},
		} {
			if err := begins(t.Context(), e, p, a, model.AppRequest{Clients: 4, Ask: fine}); err != nil {
				t.Errorf("%+v: %v", fine, err)
			}
		}
		for option, why := range map[string]string{
			"--protocol=foo": `invalid query mode (-M): "foo"`, "--random-seed=foo": `unrecognized random seed option "foo" (Expecting an unsigned integer, "time" or "rand")`,
			"-Dx": `invalid variable definition: "x"`, "--scale=0": "must be in range", "--progress=x": `invalid value "x"`, "--progress-timestamp": "only under --progress",
		} {
			modeltest.Refused(t, examine(model.AppAsk{Options: []string{"-n", option}}), "does not accept --pgbench -n --pgbench "+option+": ", why, "correct the option, or leave it out")
		}
		if option := "--exit-on-abort"; major < 17 {
			modeltest.Refused(t, examine(model.AppAsk{Options: []string{option}}), "does not accept --pgbench "+option+": unrecognized option '"+option+"'")
		} else if err := begins(t.Context(), e, p, a, model.AppRequest{Clients: 4, Ask: model.AppAsk{Options: []string{option}}}); err != nil {
			t.Error(err)
		}
		for script, why := range map[string]string{
			"SELECT 1;\n\\set x\n": `cannot read the script: line 2: syntax error in command "set" (\set x)`, "\n\n\\foo bar\n": `line 3: invalid command in command "foo" (\foo bar)`,
			"\\if true\nSELECT 1;\n": `condition error: \if without matching \endif`, "SELECT 1;\n\\endif\n": "at command 2", "\\sleep 1 h\nSELECT 1;\n": "unrecognized time unit",
		} {
			modeltest.Refused(t, examine(model.AppAsk{Script: script, Options: []string{"--protocol=prepared"}}), why, "the file that --script names")
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left: %v", left, err)
		}
	})
}

// Of an existing server, this is found out before anything connects to it.
func TestOptionsAreTriedBeforeAnExistingServer(t *testing.T) {
	const url = "postgres://postgres@/loadline?host=%2Fno%2Fsuch"
	request := model.AppRequest{Name: "postgres", Clients: 1, Ask: model.AppAsk{Options: []string{"--protocol=foo"}}}
	err := New(env.OS()).Examine(t.Context(), model.ProbeRequest{Target: model.Target{Name: url, Kind: model.Postgres, URI: url}, App: &request}, &model.ProbeResult{Tools: map[string]string{}})
	modeltest.Refused(t, err, "does not accept --pgbench --protocol=foo")
}

// What pgbench says is told by its words in all versions; whatever else it says, the load is begun and says it then.
func TestWhatIsSaidInsteadOfBeginning(t *testing.T) {
	p := programs{version: "14.2"}
	options := model.AppAsk{Options: []string{"--protocol=foo"}}
	for said, why := range map[string]string{
		"pgbench: fatal: invalid query mode (-M): \"foo\"\n":                                                                                        `14.2 does not accept --pgbench --protocol=foo: invalid query mode`,
		"pgbench: setting random seed to 1\n/usr/my path/bin/pgbench: option '--x' requires an argument\npgbench: hint: Try it.\n":                  "option '--x' requires an argument",
		"pgbench: fatal: -:2: syntax error in command \"set\"\n\\set \x1b[31mx\n":                                                                   `line 2: syntax error in command "set" (\set x)`,
		"pgbench: error: need at least 5003 open files, but system limit is 1024\npgbench: hint: Reduce number of clients, or use limit/ulimit …\n": "ulimit -n 5003",
	} {
		modeltest.Refused(t, notBegun(p, options, said), why)
	}
	modeltest.Refused(t, notBegun(p, model.AppAsk{}, "pgbench: error: odd\n"), "does not begin this load: odd")
	for _, said := range []string{"", "\n", "Segmentation fault\n", "/usr/bin/pgbench: error while loading shared libraries: libpq.so.5\n", "pgbench: hint: try\n", "pgbench: setting random seed to 3\n"} {
		if err := notBegun(p, options, said); err != nil {
			t.Errorf("%q: %v", said, err)
		}
	}
}

// A pgbench that does not end, succeeds, dies or is not there decides nothing, and takes seconds at most.
func TestAPgbenchThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	a, err := chooseAccount()
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"trap '' TERM; while :; do sleep 1; done", "exit 0", "kill -9 $$", "exit 1"} {
		e := env.OS()
		e.Command = func(ctx context.Context, _ string, _ ...string) *exec.Cmd {
			return exec.CommandContext(ctx, "/bin/sh", "-c", program)
		}
		begin := time.Now()
		if err := begins(t.Context(), e, programs{dir: "/none"}, a, model.AppRequest{Ask: model.AppAsk{Script: "SELECT 1;"}}); err != nil || time.Since(begin) > failing+10*time.Second {
			t.Errorf("%s: %v after %s", program, err, time.Since(begin))
		}
	}
	if err := begins(t.Context(), env.OS(), programs{dir: "/none"}, a, model.AppRequest{}); err != nil {
		t.Errorf("without a program: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := begins(ended, env.OS(), programs{dir: "/none"}, a, model.AppRequest{}); err == nil {
		t.Error("an interruption is not passed on")
	}
}
