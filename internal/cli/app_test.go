package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// databaseDir returns a directory with a short name that the server's user can enter.
func databaseDir(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("/usr/lib/postgresql"); err != nil {
		if _, err := exec.LookPath("postgres"); err != nil {
			t.Skip("PostgreSQL is not installed (apt-get install postgresql)")
		}
	}
	return lab.ServerDir(t)
}

// Each fault is planted on a real server, and found by its rule.
func TestAppPostgresPlanted(t *testing.T) {
	lab.Lock(t)
	brief := []string{"--time", "2s", "--ramp-time", "1s"}
	cpus := runtime.NumCPU()
	for _, x := range []struct {
		rule     string
		severity model.Severity
		flags    []string
		// times replaces a single brief repeat.
		times []string
	}{
		{rule: "durable", severity: model.SeverityWarning, flags: []string{"--set", "fsync=off", "--clients", "1"}},
		{rule: "storage-bound", severity: model.SeverityWarning, flags: []string{"--load", "select", "--clients", "1"}},
		{rule: "connecting", severity: model.SeverityWarning, flags: []string{"--profile", "connect"}},
		{rule: "hot-rows", severity: model.SeverityWarning, flags: []string{"--clients", "4", "--scale", "1"}},
		{rule: "skipped", severity: model.SeverityInvalid, flags: []string{"--clients", "1", "--rate", "30000", "--latency-limit", "20ms"}},
		{rule: "full-cpu", severity: model.SeverityWarning, flags: []string{"--load", "select", "--clients", strconv.Itoa(4 * cpus), "--threads", strconv.Itoa(cpus)}},
		// The server looks for something to vacuum every eleven seconds, and a repeat takes about five.
		{rule: "maintenance", severity: model.SeverityNote, times: []string{"--repeat", "5", "--max-time", "40s"}, flags: []string{"--clients", "1",
			"--set", "autovacuum_naptime=11s", "--set", "autovacuum_vacuum_threshold=50", "--set", "autovacuum_vacuum_scale_factor=0"}},
	} {
		t.Run(x.rule, func(t *testing.T) {
			dir := databaseDir(t)
			args := append([]string{"app", "postgres", dir, "--results", t.TempDir(), "--format", "json", "-q"}, x.flags...)
			if x.times == nil {
				x.times = brief
			}
			args = append(args, x.times...)
			if x.rule != "hot-rows" {
				args = append(args, "--scale", "2")
			}
			code, r := report(t, args...)
			found := false
			for _, f := range r.Findings {
				found = found || f.Rule == x.rule && f.Severity == x.severity
			}
			want := exitOK
			// Clients that wait for a processor between two selects are missed by Little's law, too.
			waiting := x.rule == "full-cpu" || x.rule == "storage-bound"
			if x.severity == model.SeverityInvalid || waiting && slices.ContainsFunc(r.Findings, func(f model.Finding) bool {
				return f.Rule == "clients" && f.Severity == model.SeverityInvalid
			}) {
				want = exitInvalid
			}
			if !found || code != want {
				t.Errorf("exit code %d, want %d; found %v: %+v", code, want, found, r.Findings)
			}
			if len(r.Results) != 1 || r.Results[0].App == nil || r.Results[0].App.Transactions == 0 || r.Run.Prepare.App == nil {
				t.Errorf("%+v", r.Results)
			}
			empty(t, dir)
		})
	}
}

// Cleanup finds the leftovers of a killed run, whose server is gone, and touches nothing
// else. An interrupted run leaves nothing.
func TestAppPostgresLeavesNothing(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	for name, signal := range endings {
		t.Run(name, func(t *testing.T) {
			dir := databaseDir(t)
			started(t, loadBelow(dir), "app", "postgres", dir, "--results", t.TempDir(), "--scale", "1", "--clients", "2", "--time", "60s").end(t, signal)
			nothingLeft(t, signal, dir)
		})
	}
}

// loadBelow returns a pattern for the pipes of a pgbench that is running below a directory.
func loadBelow(dir string) string { return filepath.Join(dir, ".loadline-*.app/log.*") }

func TestAppPostgresRefuses(t *testing.T) {
	dir := databaseDir(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		words string
		args  []string
	}{
		{"asks for a raw device, and PostgreSQL keeps its data in a filesystem", []string{"sc:fast?mode=Block"}},
		{"PostgreSQL does not run as root", []string{"sc:fast", "--as-root"}},
		{"PostgreSQL does not run as root", []string{"pvc:prod/data", "--run-as-user", "0:5"}},
		{"is not a directory", []string{file}},
		{"postgres has no profile", []string{dir, "--profile", "huge"}},
		{"--load \"tpcc\" is not known", []string{dir, "--load", "tpcc"}},
		{"--profile selects a list of loads", []string{dir, "--profile", "big", "--clients", "3"}},
		{"--latency-limit skips", []string{dir, "--latency-limit", "5ms"}},
		{"--clients 0 is not a number", []string{dir, "--clients", "0"}},
		{"--fit \"tape\" is not known", []string{dir, "--fit", "tape"}},
		{"both say how large", []string{dir, "--fit", "disk", "--scale", "3"}},
		{"needs 2.05 TiB", []string{dir, "--scale", "143000"}},
		{"cannot be given", []string{dir, "--pgbench", "--log"}},
		{"has no setting", []string{dir, "--set", "fsnyc=off"}},
		{"does not accept --pgbench --protocol=foo", []string{dir, "--pgbench", "--protocol=foo"}},
	} {
		refused(t, x.words, append([]string{"app", "postgres"}, x.args...)...)
	}
	empty(t, dir)
}

// An experiment of an application is repeated by run, and by no other command, which says so.
func TestAnApplicationsExperimentIsRepeatedByRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one":    "scenario: app\ntarget: /srv/x\nprofile: quick\napp: {name: postgres}\n",
		"paired": "scenario: compare\ntarget: /srv/x\nbaseline: /srv/y\nprofile: quick\napp: {name: etcd}\n",
	} {
		file := filepath.Join(dir, name+".yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"compare", "sweep", "scale"} {
			code, _, errs := runLoadline(t, verb, "--experiment", file)
			if code != exitUsage || !strings.Contains(errs, "is an experiment of loadline app ") || !strings.Contains(errs, "loadline run --experiment "+file) {
				t.Errorf("%s %s: exit code %d: %s", verb, name, code, errs)
			}
		}
	}
}

// Two runs on one directory, of which the second does not log whole pages after a checkpoint: it is not called
// better, because its transactions do less I/O. Worse it may be: this machine was slower then, and less I/O
// explains no slower transactions.
func TestAppPostgresUnlikeRunsAreNotJudged(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	dir, results := databaseDir(t), t.TempDir()
	for _, set := range []string{"on", "off"} {
		if code, r := report(t, "app", "postgres", dir, "--results", results, "--format", "json", "-q", "--time", "3s", "--ramp-time", "1s", "--scale", "2", "--clients", "1", "--set", "full_page_writes="+set); code != exitOK || len(r.Results) != 1 {
			t.Fatalf("exit code %d: %+v", code, r)
		}
	}
	runs, _ := filepath.Glob(filepath.Join(results, "*", "run.json"))
	if len(runs) != 2 {
		t.Fatalf("%q", runs)
	}
	_, out, errs := runLoadline(t, "compare", filepath.Dir(runs[0]), filepath.Dir(runs[1]), "--format", "json")
	var c model.Comparison
	if err := json.Unmarshal([]byte(out), &c); err != nil || len(c.Rows) == 0 {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	found := false
	for _, f := range c.Findings {
		found = found || f.Rule == "different-transactions" && strings.Contains(f.Message, "log bytes")
	}
	for _, row := range c.Rows {
		if row.Verdict == model.Better {
			t.Errorf("%s %s is called better", row.Workload, row.Metric)
		}
	}
	if !found {
		t.Errorf("%+v", c.Findings)
	}
	empty(t, dir)
}
