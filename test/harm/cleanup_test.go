package harm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const ours = ".loadline-20261120-235200-srv-data"

// put makes files.
func put(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("precious\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that only looks like one of Loadline's is the user's.
func TestCleanupLeavesWhatOnlyLooksLikeOurs(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".loadline-notes.md", ".loadline-profile.yaml", ".loadline-", ".loadline-.data", ".loadline-data", ".loadline-x.data",
		".loadline-probe-", ".loadline-probe-12x", ".loadline-probe-12.bak", ours, ours+".data.bak", ours+".txt", ours+".ledger",
		".loadline-20261120-235200-Über.data", ".loadline-20261120-235200-a b.data", ".loadline-"+"\x1b]0;pwned\a\x1b[31m", ours+"\n.data", "x"+ours+".data")
	for _, d := range []string{".loadline-20261120-235200-dir.data", "sub"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, "sub"), ours+".data")
	if err := os.Symlink(filepath.Join(dir, ".loadline-notes.md"), filepath.Join(dir, ".loadline-20261120-235200-link.data")); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	o := loadline(t, "cleanup", dir)
	if o.code != 0 || !strings.Contains(o.stdout, "nothing to remove in "+dir) {
		t.Errorf("exit code %d", o.code)
	}
	unharmed(t, dir, before)
}

// A file with a Loadline name but another owner, or under another name elsewhere, stays and is reported.
func TestCleanupLeavesWhatIsNotTheUsers(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	put(t, dir, ours+"-linked.data", ours+"-foreign.data")
	if err := os.Link(filepath.Join(dir, ours+"-linked.data"), filepath.Join(elsewhere, "database")); err != nil {
		t.Fatal(err)
	}
	want := []string{"-linked.data: it has a second name"}
	if os.Geteuid() == 0 {
		if err := os.Chown(filepath.Join(dir, ours+"-foreign.data"), 12345, 12345); err != nil {
			t.Fatal(err)
		}
		want = append(want, "-foreign.data: it belongs to the user 12345")
	} else if err := os.Remove(filepath.Join(dir, ours+"-foreign.data")); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	put(t, dir, ours+".data", ".loadline-probe-1234567", ".loadline-doctor-3kq7xw2a.data")
	o := loadline(t, "cleanup", dir)
	for _, words := range append(want, "removed "+filepath.Join(dir, ours+".data"), "removed "+filepath.Join(dir, ".loadline-probe-1234567"), "removed "+filepath.Join(dir, ".loadline-doctor-3kq7xw2a.data")) {
		if o.code != 0 || !strings.Contains(o.stdout, words) {
			t.Errorf("exit code %d, and it does not say %q", o.code, words)
		}
	}
	unharmed(t, dir, before)
}

// An interrupted durability test still has to check its file: cleanup prints the
// command, which works, and leaves nothing behind.
func TestCleanupLeavesWhatADurabilityTestNeeds(t *testing.T) {
	dir, results := t.TempDir(), otherDisk(t)
	run := begin(t, "durability", dir, "--results", results, "--writes", "50", "--cut", "kill -KILL $PPID; sleep 1")
	_ = run.cmd.Wait() // it has killed itself, as a power cut would
	tests, _ := filepath.Glob(filepath.Join(results, "*-durability"))
	if len(tests) != 1 {
		t.Fatalf("tests: %v\n%s%s", tests, &run.stdout, &run.stderr)
	}
	// Its writer ends with it, and then releases the file.
	eventually(t, "the writer has ended", func() bool {
		out, _ := exec.Command("fuser", data(t, dir)).Output()
		return len(out) == 0
	})
	before := snapshot(t, dir)
	o := loadline(t, "cleanup", dir)
	for _, words := range []string{"kept    " + data(t, dir) + ": a durability test still has to check it", "next: loadline durability " + dir + " --resume " + tests[0]} {
		if o.code != 0 || !strings.Contains(o.stdout, words) {
			t.Errorf("exit code %d, and it does not say %q", o.code, words)
		}
	}
	unharmed(t, dir, before)

	// If the ledger cannot be read, it is unknown whether the file is needed.
	away := tests[0] + ".away"
	if err := os.Rename(tests[0], away); err != nil {
		t.Fatal(err)
	}
	if o := loadline(t, "cleanup", dir); o.code != 0 || !strings.Contains(o.stdout, "its ledger cannot be read") {
		t.Errorf("exit code %d", o.code)
	}
	unharmed(t, dir, before)
	if err := os.Rename(away, tests[0]); err != nil {
		t.Fatal(err)
	}

	// The note may be lost, as with a disk that ignores flushes: the name still identifies the file.
	note := strings.TrimSuffix(data(t, dir), ".data") + ".ledger"
	words, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(note); err != nil {
		t.Fatal(err)
	}
	if o := loadline(t, "cleanup", dir); o.code != 0 || !strings.Contains(o.stdout, "the location of its ledger is not known") || len(snapshot(t, dir)) != 2 {
		t.Errorf("exit code %d", o.code)
	}
	if err := os.WriteFile(note, words, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := loadline(t, "durability", dir, "--resume", tests[0]); o.code != 0 {
		t.Errorf("the check ends with code %d", o.code)
	}
	if left := snapshot(t, dir); len(left) != 1 {
		t.Errorf("it leaves %v", left)
	}
}

// A test that is over needs nothing, and one in progress is left alone.
func TestCleanupBesideADurabilityTest(t *testing.T) {
	dir, results := t.TempDir(), otherDisk(t)
	marks := t.TempDir()
	cutting, end := filepath.Join(marks, "cutting"), filepath.Join(marks, "end")
	run := begin(t, "durability", dir, "--results", results, "--writes", "50", "--cut", "touch "+cutting+"; until test -e "+end+"; do sleep 0.05; done; exit 1")
	eventually(t, "the cut goes on", func() bool {
		_, err := os.Stat(cutting)
		return err == nil
	})
	files := data(t, dir)
	if o := loadline(t, "cleanup", dir); o.code != 0 || !strings.Contains(o.stdout, "a running loadline uses it") || strings.Contains(o.stdout, "removed") || data(t, dir) != files {
		t.Errorf("exit code %d", o.code)
	}
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := run.wait(t); o.code != 1 {
		t.Errorf("the test ends with code %d, want 1: its cut failed", o.code)
	}
	if left := snapshot(t, dir); len(left) != 1 {
		t.Errorf("it leaves %v", left)
	}
}

// otherDisk returns a directory on another filesystem than the temporary directories: a power cut
// would destroy a ledger on the same one.
func otherDisk(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "harm-")
	if err != nil {
		t.Skip("no second filesystem at /dev/shm: mount -t tmpfs tmpfs /dev/shm")
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// data returns the data file of the durability test in a directory.
func data(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".loadline-*-durability.data"))
	if err != nil || len(files) != 1 {
		t.Fatalf("data files: %v, %v", files, err)
	}
	return files[0]
}
