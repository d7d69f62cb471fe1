package harm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// numbers is a fake target, which takes no time.
const numbers = "fake:?iops=20000&cv=0.05"

// recorded returns the directory of a completed run; more are flags of run.
func recorded(t testing.TB, more ...string) string {
	t.Helper()
	results := filepath.Join(t.TempDir(), "results")
	if o := loadline(t, append([]string{"run", numbers, "--quiet", "--results", results}, more...)...); o.code != 0 {
		t.Fatalf("exit code %d", o.code)
	}
	return only(t, results)
}

// only returns the single entry of a directory.
func only(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%s holds %v, %v", dir, entries, err)
	}
	return filepath.Join(dir, entries[0].Name())
}

// importedRun returns the directory of a run that was imported from fio's output.
func importedRun(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	for i := 1; i <= 5; i++ {
		fmt.Fprintf(&b, `{"fio version":"fio-3.33","timestamp":%d,"jobs":[{"jobname":"a","groupid":0,"job options":{"rw":"randread","bs":"4k"},`+
			`"read":{"total_ios":%d,"io_bytes":%d,"iops":1000,"bw_bytes":4096000,"runtime":%d,"lat_ns":{"N":%[2]d,"mean":1000,"max":5000}}}]}`+"\n", 1700000000+i, 1000*i, 4096000*i, 1000*i)
	}
	file := filepath.Join(dir, "fio.json")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(dir, "run")
	if o := loadline(t, "import", "a="+file, "--into", into); o.code != 0 && o.code != 5 {
		t.Fatalf("exit code %d", o.code)
	}
	return into
}

// comparedRuns returns the folder of a comparison.
func comparedRuns(t testing.TB) string {
	t.Helper()
	results := filepath.Join(t.TempDir(), "results")
	if o := loadline(t, "compare", numbers, "fake:?iops=21000&cv=0.05", "--quiet", "--only", "rand-read-iops", "--results", results); o.code != 0 && o.code != 4 {
		t.Fatalf("exit code %d", o.code)
	}
	return only(t, results)
}

// A directory from elsewhere redirects nothing: what is written through its names
// stays in it, whatever links were planted.
func TestPlantedLinksAreNotWritten(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct {
		dir   string
		verbs [][]string
		// names are planted in addition to those of all kinds.
		names []string
	}{
		"run":        {recorded(t), [][]string{{"analyze"}, {"report"}, {"size"}}, nil},
		"imported":   {importedRun(t), [][]string{{"analyze"}, {"report"}}, []string{"samples.jsonl.zst.new", "imported.json.new"}},
		"comparison": {comparedRuns(t), [][]string{{"compare"}, {"report"}}, []string{"comparison.json"}},
	} {
		for _, name := range append([]string{"report.json", "report.html", "summary.txt", "card.json", "samples.jsonl.zst", "plan.json", "run.json",
			"environment.json", "imported.json", "raw", "a", "b", "a/report.json", "b/summary.txt", "raw/0001-x.json"}, c.names...) {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				user := filepath.Join(home, "user")
				victims := filepath.Join(user, "victims")
				copied := filepath.Join(home, "sent")
				if err := errors.Join(os.MkdirAll(victims, 0o700), os.WriteFile(filepath.Join(victims, "bashrc"), []byte("my important file\n"), 0o600), os.CopyFS(copied, os.DirFS(c.dir))); err != nil {
					t.Fatal(err)
				}
				at := filepath.Join(copied, name)
				if _, err := os.Stat(filepath.Dir(at)); err != nil {
					t.Skip("there is no such folder in this kind")
				}
				to := filepath.Join(victims, "bashrc")
				if info, err := os.Stat(at); err == nil && info.IsDir() {
					// A whole folder is redirected, in case the program would continue in it.
					to = filepath.Join(user, "folder")
					if err := os.Rename(at, to); err != nil {
						t.Fatal(err)
					}
				} else if err == nil {
					// The user's file may take the place of the named file.
					if err := os.Rename(at, to); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.Symlink(to, at); err != nil {
					t.Fatal(err)
				}
				before := snapshot(t, user)
				for _, verb := range c.verbs {
					if o := loadline(t, append(verb, copied)...); o.code == 130 {
						t.Errorf("exit code %d", o.code)
					}
				}
				unharmed(t, user, before)
			})
		}
	}
}

// A pipe in the place of a file never delivers data: it is not waited for.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := recorded(t)
	for _, name := range []string{"plan.json", "run.json", "report.json", "samples.jsonl.zst", "card.json"} {
		copied := filepath.Join(t.TempDir(), "sent")
		if err := errors.Join(os.CopyFS(copied, os.DirFS(dir)), os.Remove(filepath.Join(copied, name)), syscall.Mkfifo(filepath.Join(copied, name), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"report", "analyze"} {
			r := begin(t, verb, copied)
			soon := time.AfterFunc(30*time.Second, func() { _ = r.cmd.Process.Kill() })
			if o := r.wait(t); o.code < 0 {
				t.Errorf("%s waits for %s", verb, name)
			}
			soon.Stop()
		}
	}
}

// A pipe without a writer is refused by every command that is told to read it, and not waited for.
func TestNamedPipesAreNotWaitedFor(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"report", pipe}, {"report", "--reference", pipe}, {"analyze", pipe}, {"import", pipe}, {"import", "a=" + pipe}, {"size", pipe}, {"size", "--from", pipe},
		{"compare", pipe}, {"compare", pipe, pipe}, {"plan", numbers, "--experiment", pipe}, {"plan", numbers, "--job", pipe}, {"run", numbers, "--baseline", pipe},
		{"plan", pipe}, {"serve", pipe}, {"durability", t.TempDir(), "--run", pipe}, {"cleanup", pipe},
	} {
		r := begin(t, args...)
		soon := time.AfterFunc(30*time.Second, func() { _ = r.cmd.Process.Kill() })
		if o := r.wait(t); o.code != 2 || !strings.Contains(o.stderr, pipe) {
			t.Errorf("%v: exit code %d, want 2 and a sentence about the pipe:\n%s", args, o.code, o.stderr)
		}
		soon.Stop()
	}
}

// A document of a ranking cannot name a directory outside its own.
func TestRankingStaysInItsFolder(t *testing.T) {
	home := t.TempDir()
	victim, folder := filepath.Join(home, "victim"), filepath.Join(home, "ranking")
	if err := errors.Join(os.CopyFS(victim, os.DirFS(importedRun(t))), os.Mkdir(folder, 0o700), os.Symlink(victim, filepath.Join(folder, "victim")),
		os.WriteFile(filepath.Join(folder, "ranking.json"), []byte(`["../victim","victim",".."]`), 0o600)); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, victim)
	for _, verb := range []string{"analyze", "report"} {
		if o := loadline(t, verb, folder); o.code != 2 {
			t.Errorf("%s: exit code %d, want 2", verb, o.code)
		}
	}
	unharmed(t, victim, before)
}

// Records are private to their owner; files that the user names follow the umask.
func TestRecordsAreForTheirOwner(t *testing.T) {
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	run, pair, in := recorded(t), comparedRuns(t), importedRun(t)
	ranked := filepath.Join(t.TempDir(), "ranked")
	original := filepath.Join(filepath.Dir(in), "fio.json")
	if o := loadline(t, "import", "a="+original, "b="+original, "--into", ranked); o.code != 0 && o.code != 5 {
		t.Errorf("exit code %d", o.code)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	if o := loadline(t, "report", run, "-o", page); o.code != 0 {
		t.Errorf("exit code %d", o.code)
	}
	if info, err := os.Stat(page); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%s: %v, %v", page, info.Mode(), err)
	}
	if o := loadline(t, "analyze", run); o.code != 0 {
		t.Errorf("exit code %d", o.code)
	}
	for _, dir := range []string{run, pair, in, ranked} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			want := fs.FileMode(0o600)
			if e.IsDir() {
				want = 0o700
			}
			if err == nil && info.Mode().Perm() != want {
				t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// storage starts an NBD server on a port of this machine, and returns its address.
func storage(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("nbdkit"); err != nil {
		t.Skip("nbdkit is not here")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	free.Close()
	// --exit-with-parent ends it if the test is killed.
	server := exec.Command("nbdkit", "--exit-with-parent", "-f", "-i", "127.0.0.1", "-p", port, "memory", "64M")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // it was killed
	})
	eventually(t, "the server answers", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return address
}

// A password that was typed is recorded nowhere: in no file, compressed or not, in no file
// name, and in nothing that was printed.
func TestPasswordsAreNotRecorded(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	target := "nbd://bob:" + secret + "@" + storage(t) + "/"
	results := filepath.Join(t.TempDir(), "results")
	o := loadline(t, "run", target, "--destroy-data-on", target, "--only", "rand-write-iops", "--max-time", "20s", "--repeat", "2", "--results", results,
		"--note", "for postgres://app:"+secret+"@db/prod, Authorization: Bearer "+secret)
	if o.code != 0 && o.code != 5 {
		t.Fatalf("exit code %d", o.code)
	}
	dir := only(t, results)
	said := o.said()
	for _, again := range [][]string{{"analyze", dir}, {"report", dir, "--format", "markdown"}, {"report", dir, "--format", "json"}} {
		said += loadline(t, again...).said()
	}
	if strings.Contains(said, secret) {
		t.Error("the password was printed")
	}
	if !strings.Contains(said, "loadline run nbd://bob:PASSWORD@") {
		t.Error("no command that is advised says what to fill in")
	}
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.HasSuffix(path, ".zst") {
			data, err = unpacked(data)
		}
		if bytes.Contains(data, []byte(secret)) || strings.Contains(path, secret) {
			t.Errorf("the password is in %s", path)
		}
		seen[e.Name()] = bytes.Contains(data, []byte("PASSWORD"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.json", "experiment.yaml", "plan.json", "run.json", "report.html", "summary.txt", "card.json"} {
		if !seen[name] {
			t.Errorf("%s does not say that there was a password", name)
		}
	}
}

func unpacked(data []byte) ([]byte, error) {
	unzip, err := zstd.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer unzip.Close()
	return io.ReadAll(unzip)
}

// small mounts a filesystem in memory of that size.
func small(t *testing.T, size string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting takes root")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size+",mode=0755"); err != nil {
		t.Skip("nothing can be mounted here: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// status returns what the record of a run says about its end.
func status(t testing.TB, dir string) (status, reason string) {
	t.Helper()
	var run struct{ Status, Reason string }
	data, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err == nil {
		err = json.Unmarshal(data, &run)
	}
	if err != nil {
		t.Fatal(err)
	}
	return run.Status, run.Reason
}

// A disk that fills up during a measurement costs the rest of the measurement but not what was
// measured: the table is printed, a message says what is missing, and the saved part is
// never taken for a complete run.
func TestFullDiskStillTellsTheResult(t *testing.T) {
	disk := small(t, "1500k")
	o := loadline(t, "run", numbers, "--time", "30m", "--results", disk)
	if o.code != 1 {
		t.Errorf("exit code %d, want 1", o.code)
	}
	if !strings.Contains(o.stdout, "rand-read-iops") || !strings.Contains(o.stdout, "seq-read") {
		t.Error("there is no table of what was measured")
	}
	for _, words := range []string{"nothing more can be saved in " + disk, "no space left on device", "make room there", "loadline analyze "} {
		if !strings.Contains(o.stderr, words) {
			t.Errorf("it does not say %q", words)
		}
	}
	dir := only(t, disk)
	if s, reason := status(t, dir); s != "failed" || !strings.Contains(reason, "no space left") {
		t.Errorf("the record says %s: %s", s, reason)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".tmp-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	// With enough space again, what was saved is read without damage.
	copied := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	again := loadline(t, "analyze", copied)
	if !strings.Contains(again.stdout, "rand-read-iops") || strings.Contains(again.stderr, "ends early") || strings.Contains(again.stderr, "cannot be read") {
		t.Errorf("what was saved cannot be analysed:\n%s", again.said())
	}
	if !strings.Contains(again.stdout, "no space left") {
		t.Error("analyze does not say why the run ended")
	}
}

// A disk that has space for the measurements but not for the report costs the report's
// file, and not the report.
func TestReportThatCannotBeSavedIsPrinted(t *testing.T) {
	run := recorded(t)
	size := func(names ...string) (n int64) {
		for _, name := range names {
			info, err := os.Stat(filepath.Join(run, name))
			if err != nil {
				t.Fatal(err)
			}
			n += (info.Size() + 4095) / 4096 * 4096
		}
		return n
	}
	// There is space for all but the page, plus the space that a run reserves while it is in progress.
	disk := small(t, fmt.Sprint(size("report.json", "samples.jsonl.zst", "plan.json", "run.json", "experiment.yaml", "environment.json")+size("run.json")+300<<10))
	o := loadline(t, "run", numbers, "--quiet", "--results", disk)
	if o.code != 1 || !strings.Contains(o.stdout, "rand-read-iops") {
		t.Errorf("exit code %d, want 1 and the table", o.code)
	}
	for _, words := range []string{"the report could not be saved", "no space left on device", "loadline analyze "} {
		if !strings.Contains(o.stderr, words) {
			t.Errorf("it does not say %q", words)
		}
	}
	if s, _ := status(t, only(t, disk)); s != "complete" {
		t.Errorf("the record says %s", s)
	}
}

// An import that cannot be saved leaves nothing that looks like one.
func TestImportThatCannotBeSavedLeavesNothing(t *testing.T) {
	original := filepath.Join(filepath.Dir(importedRun(t)), "fio.json")
	disk := small(t, "32k")
	for _, args := range [][]string{{"import", "a=" + original}, {"import", "a=" + original, "b=" + original}} {
		if o := loadline(t, append(args, "--results", disk)...); o.code != 1 || !strings.Contains(o.stderr, "no space left") {
			t.Errorf("exit code %d, want 1 and the reason", o.code)
		}
		if left, err := os.ReadDir(disk); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// A page in a directory from elsewhere may be a link to anything, including a device.
func TestPlantedPageIsReplaced(t *testing.T) {
	run, home := recorded(t), t.TempDir()
	pipe, page := filepath.Join(home, "pipe"), filepath.Join(run, "report.html")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Remove(page), os.Symlink(pipe, page)); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if o := loadline(t, "report", run, "-o", page); o.code != 0 {
		t.Errorf("exit code %d", o.code)
	}
	if err := reader.SetReadDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if n, _ := reader.Read(make([]byte, 10)); n > 0 {
		t.Error("it was written to what the link leads to")
	}
	if info, err := os.Lstat(page); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the page is %v, %v", info.Mode(), err)
	}
}

// A repeat is reported as done only when its measurements would survive a power loss.
func TestStepsLast(t *testing.T) {
	trace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not here")
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	cmd := exec.Command(trace, "-f", "-y", "-o", log, "-e", "trace=fsync,fdatasync,renameat,renameat2,rename", program, "run", numbers, "--quiet", "--only", "rand-read-iops", "--results", filepath.Join(dir, "results"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("strace does not work here: %v\n%s", err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	run := only(t, filepath.Join(dir, "results"))
	var steps struct{ Steps []json.RawMessage }
	record, err := os.ReadFile(filepath.Join(run, "run.json"))
	if err := errors.Join(err, json.Unmarshal(record, &steps)); err != nil {
		t.Fatal(err)
	}
	count := func(words ...string) (n int) {
		for line := range strings.Lines(string(data)) {
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
				n++
			}
		}
		return n
	}
	for what, got := range map[string]int{
		"the samples": count("fsync(", "samples.jsonl.zst"), "raw/": count("fsync(", run+"/raw>"), "the folder": count("fsync(", run+">"),
	} {
		if got < len(steps.Steps) {
			t.Errorf("%s: flushed %d times in %d steps", what, got, len(steps.Steps))
		}
	}
}
