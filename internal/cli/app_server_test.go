package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// existingServer returns the URL of a server that runs until the end of the test. Loadline's own driver
// has started it, but the tests treat it as somebody else's.
func existingServer(t *testing.T, set ...string) string {
	t.Helper()
	dir := databaseDir(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	d := postgres.New(env.OS())
	t.Cleanup(func() {
		if err := d.Leave(); err != nil {
			t.Error(err)
		}
	})
	_, err = d.Ready(t.Context(), root, model.PrepareRequest{App: &model.AppRequest{Name: "postgres", Scale: 1, Clients: 4, Set: set}}, func(model.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	return "postgres://postgres@/loadline?host=" + strings.ReplaceAll(dir, "/", "%2F") + "%2Fs"
}

// schemas returns the schemas in a server that are ours.
func schemas(t *testing.T, url string) string {
	t.Helper()
	out, err := exec.Command("psql", "-X", "-At", "-d", url, "-c", `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'loadline%'`).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// An existing server is planned for, measured, compared with another one, and left as it was.
func TestAppPostgresServer(t *testing.T) {
	lab.Lock(t)
	url := existingServer(t, "fsync=off")
	code, out, errs := runLoadline(t, "plan", "app", "postgres", url)
	for _, words := range []string{"a schema of its own in the database of", "fsync", "found: fsync=off: the server flushes nothing, and its numbers are durability"} {
		if code != exitOK || !strings.Contains(out, words) {
			t.Errorf("%d, no %q: %s%s", code, words, out, errs)
		}
	}
	if left := schemas(t, url); left != "" {
		t.Errorf("a plan made %s", left)
	}
	results := t.TempDir()
	t.Setenv("PGPASSWORD", "hunter2")
	code, r := report(t, "app", "postgres", url, "--results", results, "--format", "json", "-q", "--time", "2s", "--ramp-time", "1s", "--clients", "2", "--scale", "2")
	if code != exitOK || len(r.Results) != 1 || r.Results[0].App == nil || r.Results[0].App.Transactions == 0 {
		t.Fatalf("%d %+v", code, r.Results)
	}
	severities := map[string]model.Severity{}
	for _, f := range r.Findings {
		severities[f.Rule] = f.Severity
	}
	if severities["durable"] != model.SeverityWarning || severities["others"] != model.SeverityPassed || severities["checkpoint-cycle"] != model.SeverityPassed {
		t.Errorf("%v", severities)
	}
	if left := schemas(t, url); left != "" {
		t.Errorf("%s is left", left)
	}
	secret, _ := exec.Command("grep", "-rl", "hunter2", results).Output()
	if len(secret) > 0 {
		t.Errorf("the password is in %s", secret)
	}
	// It is compared with another server, in turn, but not with itself under another name.
	other := existingServer(t)
	code, out, errs = runLoadline(t, "compare", "app", "postgres", other, url, "--results", results, "-q", "--max-time", "20s", "--repeat", "2", "--clients", "2", "--scale", "1", "--fail-on", "none")
	if code == exitUsage || code == exitFailed || !strings.Contains(out, "tpcb-c2") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	code, out, errs = runLoadline(t, "app", "postgres", url, "--baseline", url+"&connect_timeout=5", "--results", results)
	if code != exitUsage || !strings.Contains(errs, "are the same server") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	for _, u := range []string{url, other} {
		if left := schemas(t, u); left != "" {
			t.Errorf("%s is left", left)
		}
	}
	for words, args := range map[string][]string{
		"--set is for a server of Loadline's own": {url, "--set", "fsync=on"},
		"--image is for a server in a pod":        {url, "--image", "postgres:17"},
		"has a password in it":                    {"postgres://u:hunter2@h/d"},
	} {
		if code, _, errs := runLoadline(t, append([]string{"app", "postgres"}, args...)...); code != exitUsage || !strings.Contains(errs, words) || strings.Contains(errs, "hunter2") {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	// A file alone must not send the user's password to a server.
	runs, _ := filepath.Glob(filepath.Join(results, "*", "experiment.yaml"))
	if len(runs) == 0 {
		t.Fatal("no experiment was saved")
	}
	refused(t, "which would receive your password, and a file alone cannot permit that", "run", "--experiment", runs[0])
	refused(t, "measured as an application", "run", url)
	refused(t, "etcd is asked for", "app", "etcd", url)
}

// Cleanup finds what a killed run has left in a server; an interrupted run leaves
// nothing.
func TestAppPostgresServerLeavesNothing(t *testing.T) {
	lab.Lock(t)
	url := existingServer(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for name, signal := range endings {
		t.Run(name, func(t *testing.T) {
			p := started(t, loadBelow(temp), "app", "postgres", url, "--results", t.TempDir(), "--scale", "1", "--clients", "2", "--time", "60s")
			p.end(t, signal)
			if !strings.Contains(p.errs.String(), "after a kill -9: loadline cleanup ") {
				t.Errorf("no advice: %s", p.errs.String())
			}
			if signal == syscall.SIGKILL {
				left := schemas(t, url)
				code, out, errs := runLoadline(t, "cleanup", url)
				for i := 0; i < 50 && strings.Contains(out, "a running loadline uses it"); i++ {
					// The server has not yet noticed that its client is gone.
					time.Sleep(100 * time.Millisecond)
					code, out, errs = runLoadline(t, "cleanup", url)
				}
				if code != exitOK || left == "" || !strings.Contains(out, "removed schema "+left) {
					t.Errorf("left %q; cleanup: %d, %s%s", left, code, out, errs)
				}
			}
			if left := schemas(t, url); left != "" {
				t.Errorf("%s is left", left)
			}
			if left, _ := filepath.Glob(filepath.Join(temp, ".loadline-*")); len(left) > 0 {
				t.Errorf("%v are left", left)
			}
			if code, out, _ := runLoadline(t, "cleanup", url); code != exitOK || !strings.Contains(out, "nothing to remove") {
				t.Errorf("%d %s", code, out)
			}
		})
	}
}
