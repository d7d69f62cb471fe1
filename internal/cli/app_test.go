package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// databaseDir is a directory that the server's user can get into, with a short name.
func databaseDir(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("/usr/lib/postgresql"); err != nil {
		if _, err := exec.LookPath("postgres"); err != nil {
			t.Skip("PostgreSQL is not installed (apt-get install postgresql)")
		}
	}
	dir, err := os.MkdirTemp("", "app")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// report runs loadline and returns its exit code and report.
func report(t *testing.T, args ...string) (int, *model.Report) {
	t.Helper()
	var out, errs bytes.Buffer
	e := env.OS()
	e.Args, e.Stdout, e.Stderr = args, &out, &errs
	code := Run(t.Context(), e)
	var r model.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v: exit code %d, %s", err, code, errs.String())
	}
	return code, &r
}

// empty fails when something is left in the directory.
func empty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		t.Errorf("%s is left", e.Name())
	}
}

// Each fault is planted on a real server, and found by its rule.
func TestAppPostgresPlanted(t *testing.T) {
	lab.Lock(t)
	for _, x := range []struct {
		rule     string
		severity model.Severity
		flags    []string
	}{
		{"durable", model.SeverityWarning, []string{"--set", "fsync=off", "--clients", "1"}},
		{"storage-bound", model.SeverityWarning, []string{"--load", "select", "--clients", "1"}},
		{"connecting", model.SeverityWarning, []string{"--profile", "connect"}},
		{"hot-rows", model.SeverityWarning, []string{"--clients", "4", "--scale", "1"}},
		{"skipped", model.SeverityInvalid, []string{"--clients", "1", "--rate", "30000", "--latency-limit", "20ms"}},
	} {
		t.Run(x.rule, func(t *testing.T) {
			dir := databaseDir(t)
			args := append([]string{"app", "postgres", dir, "--results", t.TempDir(), "--format", "json", "-q", "--time", "2s", "--ramp-time", "1s"}, x.flags...)
			if x.rule != "hot-rows" {
				args = append(args, "--scale", "2")
			}
			code, r := report(t, args...)
			found := false
			for _, f := range r.Findings {
				found = found || f.Rule == x.rule && f.Severity == x.severity
			}
			if want := map[bool]int{true: exitInvalid, false: exitOK}[x.severity == model.SeverityInvalid]; !found || code != want {
				t.Errorf("exit code %d, want %d; found %v: %+v", code, want, found, r.Findings)
			}
			if len(r.Results) != 1 || r.Results[0].App == nil || r.Results[0].App.Transactions == 0 || r.Run.Prepare.App == nil {
				t.Errorf("%+v", r.Results)
			}
			empty(t, dir)
		})
	}
}

// What a run that was killed leaves is found by cleanup, its server is gone, and nothing else
// is touched. One that is interrupted leaves nothing.
func TestAppPostgresLeavesNothing(t *testing.T) {
	lab.Lock(t)
	program := filepath.Join(t.TempDir(), "loadline")
	if said, err := exec.Command("go", "build", "-o", program, "../../cmd/loadline").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for name, signal := range map[string]syscall.Signal{"interrupted": syscall.SIGINT, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			dir := databaseDir(t)
			results := t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, program, "app", "postgres", dir, "--results", results, "--scale", "1", "--clients", "2", "--time", "60s")
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// Until the load is there.
			for len(logs(dir)) == 0 {
				if ctx.Err() != nil {
					t.Fatalf("no load: %s", errs.String())
				}
				time.Sleep(50 * time.Millisecond)
			}
			_ = cmd.Process.Signal(signal)
			err := cmd.Wait()
			if signal == syscall.SIGINT {
				if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
					t.Errorf("exit code %d (%v): %s", code, err, errs.String())
				}
				empty(t, dir)
				return
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".loadline-*.app")); len(left) != 1 {
				t.Fatalf("a kill left %v", left)
			}
			var out bytes.Buffer
			e := env.OS()
			e.Args, e.Stdout = []string{"cleanup", dir}, &out
			if code := Run(t.Context(), e); code != exitOK || !strings.Contains(out.String(), "removed "+dir) {
				t.Errorf("cleanup: %d, %s", code, out.String())
			}
			empty(t, dir)
			if ids := volume.ProcessesIn(dir); len(ids) > 0 {
				t.Errorf("processes are left: %v", ids)
			}
		})
	}
}

// logs are the pipes of a pgbench that is running below a directory.
func logs(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, ".loadline-*.app/log.*"))
	return found
}

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
		{"is no directory", []string{file}},
		{"postgres has no profile", []string{dir, "--profile", "huge"}},
		{"--load \"tpcc\" is not known", []string{dir, "--load", "tpcc"}},
		{"--profile is a list of loads", []string{dir, "--profile", "big", "--clients", "3"}},
		{"--latency-limit skips", []string{dir, "--latency-limit", "5ms"}},
		{"--clients 0 is no number", []string{dir, "--clients", "0"}},
		{"--fit \"tape\" is not known", []string{dir, "--fit", "tape"}},
		{"both say how large", []string{dir, "--fit", "disk", "--scale", "3"}},
		{"needs 2.05 TiB", []string{dir, "--scale", "143000"}},
		{"cannot be given", []string{dir, "--pgbench", "--log"}},
		{"has no setting", []string{dir, "--set", "fsnyc=off"}},
	} {
		var out, errs bytes.Buffer
		e := env.OS()
		e.Args, e.Stdout, e.Stderr = append([]string{"app", "postgres"}, x.args...), &out, &errs
		if code := Run(t.Context(), e); code != exitUsage || !strings.Contains(errs.String(), x.words) {
			t.Errorf("%v: exit code %d, %s", x.args, code, errs.String())
		}
	}
	empty(t, dir)
}
