package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// If the log is on a volume of its own, both its directory and that of the data are removed:
// by the run after an interrupt, by cleanup after a kill.
func TestAppPostgresLogLeavesNothing(t *testing.T) {
	databaseDir(t)
	for name, signal := range endings {
		t.Run(name, func(t *testing.T) {
			dir, log := databaseDir(t), inMemory(t)
			p := started(t, loadBelow(dir), "app", "postgres", dir, "--wal", log, "--results", t.TempDir(), "--scale", "1", "--clients", "2", "--time", "60s")
			if segments, _ := filepath.Glob(filepath.Join(log, ".loadline-*.app/wal/0*")); len(segments) == 0 {
				t.Errorf("the log is not in %s", log)
			}
			// The directory is in use while the run lives, and cleanup says so.
			if code, out, errs := runLoadline(t, "cleanup", log); code != exitOK || !strings.Contains(out, "a running loadline uses it") || strings.Contains(out, "removed") {
				t.Errorf("a cleanup beside the run: %d, %s%s", code, out, errs)
			}
			p.end(t, signal)
			nothingLeft(t, signal, dir)
			nothingLeft(t, signal, log)
		})
	}
}

// Each side of a comparison has its own log; the baseline's is with its data unless a flag says
// otherwise.
func TestAppPostgresLogsOfTwoSides(t *testing.T) {
	for name, apart := range map[string][2]bool{"the target's alone": {false, true}, "both": {true, true}, "the baseline's alone": {true, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dirs, logs := [2]string{databaseDir(t), databaseDir(t)}, [2]string{}
			args := []string{"app", "postgres", dirs[1], "--baseline", dirs[0], "--results", t.TempDir(), "--format", "json", "-q", "--scale", "1", "--load", "simple", "--clients", "1", "--max-time", "20s", "--repeat", "2"}
			for i, flag := range []string{"--baseline-wal", "--wal"} {
				if apart[i] {
					logs[i] = inMemory(t)
					args = append(args, flag, logs[i])
				}
			}
			code, out, errs := runLoadline(t, args...)
			var r struct{ Comparison struct{ A, B model.RunInfo } }
			if err := json.Unmarshal([]byte(out), &r); err != nil || code == exitFailed || code == exitUsage {
				t.Fatalf("exit code %d, %v: %s", code, err, errs)
			}
			for i, run := range []model.RunInfo{r.Comparison.A, r.Comparison.B} {
				is := ""
				if run.Volume.Log != nil {
					is = run.Volume.Log.Target.Path
				}
				if is != logs[i] || (run.Environment.LogStorage != nil) != apart[i] {
					t.Errorf("side %d has its log in %q, want %q", i, is, logs[i])
				}
				empty(t, dirs[i])
				if apart[i] {
					empty(t, logs[i])
				}
			}
		})
	}
}

// inMemory returns a directory on another filesystem than that of temporary files.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "app")
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAppPostgresRefusesALog(t *testing.T) {
	dir, beside, elsewhere := databaseDir(t), databaseDir(t), inMemory(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	cluster := filepath.Join(elsewhere, "cluster")
	if err := os.MkdirAll(cluster, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cluster, "PG_VERSION"), []byte("15\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	type refusal struct {
		words string
		args  []string
	}
	list := []refusal{
		{"is where the data are", []string{dir, "--wal", dir + "/."}},
		{"is on the filesystem of the data", []string{dir, "--wal", beside}},
		{"is not a directory", []string{dir, "--wal", file}},
		{"holds a PostgreSQL cluster", []string{dir, "--wal", cluster}},
		{"one is in a Kubernetes cluster, and the other on this machine", []string{dir, "--wal", "sc:fast"}},
		{"one is in a Kubernetes cluster, and the other on this machine", []string{"sc:fast", "--wal", dir}},
		{"would be made and the other exists", []string{"sc:fast", "--wal", "pvc:n/log"}},
		{"are in two namespaces", []string{"pvc:m/data", "--wal", "pvc:n/log"}},
		{"is the claim of the data", []string{"pvc:n/data", "--wal", "pvc:n/data"}},
		{"asks for a raw device, and PostgreSQL keeps its log in a filesystem", []string{"sc:fast", "--wal", "sc:fast?mode=Block"}},
		{"the log takes up to 1.5 GiB", []string{"sc:fast", "--wal", "sc:fast?size=1Gi"}},
		{"there is none", []string{dir, "--baseline-wal", elsewhere}},
		{"is on the filesystem of the data", []string{dir, "--wal", elsewhere, "--baseline", beside, "--baseline-wal", file + "/.."}},
	}
	if os.Geteuid() == 0 {
		// The server does not run as root.
		closed := filepath.Join(elsewhere, "closed")
		if err := os.MkdirAll(filepath.Join(closed, "log"), 0o700); err != nil {
			t.Fatal(err)
		}
		list = append(list, refusal{"cannot get into " + closed, []string{dir, "--wal", filepath.Join(closed, "log"), "--scale", "1"}},
			refusal{"cannot get into " + closed, []string{dir, "--wal", filepath.Join(closed, "log"), "--baseline", beside, "--scale", "1"}},
			refusal{"the log takes up to 1.5 GiB, and ", []string{dir, "--wal", lab.Tmpfs(t, 100<<20)}})
	}
	for _, x := range list {
		results := t.TempDir()
		refused(t, x.words, append([]string{"app", "postgres", "--results", results}, x.args...)...)
		// Some problems are found only while the server is prepared; they leave no run behind either.
		empty(t, results)
	}
	empty(t, dir)
	empty(t, beside)
}
