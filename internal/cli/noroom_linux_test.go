package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/test/lab"
)

// A measurement that is refused because its results have no room leaves none there: neither the first
// side of a comparison, which has room, nor the second, which has not.
func TestResultsWithoutRoomLeaveNothing(t *testing.T) {
	for name, c := range map[string]struct {
		room int64
		// full is set if not even a folder can be created.
		full bool
		args []string
	}{
		"a run":                           {64 << 10, false, []string{"run", "fake:?iops=1000"}},
		"a run that has no folder":        {64 << 10, true, []string{"run", "fake:?iops=1000"}},
		"a comparison":                    {400 << 10, false, []string{"compare", "fake:?iops=1000", "fake:?iops=1001"}},
		"a comparison that has no folder": {400 << 10, true, []string{"compare", "fake:?iops=1000", "fake:?iops=1001"}},
	} {
		results := lab.Tmpfs(t, c.room)
		before := filepath.Join(results, "before")
		if err := os.Mkdir(before, 0o700); err != nil {
			t.Fatal(err)
		}
		if c.full {
			// The root and the folder use all there are.
			if err := unix.Mount("", results, "", unix.MS_REMOUNT, "nr_inodes=2"); err != nil {
				t.Fatal(err)
			}
		}
		code, _, errs := runLoadline(t, append(c.args, "--profile", "quick", "--quiet", "--results", results)...)
		// Once, whatever else could not be saved then, and without the names of calls.
		want := "whose disk is full: no space left on device\n  next: choose another folder with --results DIR\n"
		if code != exitUsage || !strings.HasPrefix(errs, "loadline: the results cannot be saved in "+results) || !strings.HasSuffix(errs, want) || strings.Count(errs, "\n") != 2 {
			t.Errorf("%s: exit code %d, %s", name, code, errs)
		}
		entries, err := os.ReadDir(results)
		if err != nil || len(entries) != 1 || entries[0].Name() != "before" {
			t.Errorf("%s: %v is left, %v", name, entries, err)
		}
	}
}

// The same holds for a test of durability whose ledger cannot be written, which has not written to its target
// then.
func TestALedgerWithoutRoomLeavesNothing(t *testing.T) {
	// The ledger records what each of these blocks held before.
	results, dir := lab.Tmpfs(t, 16<<10), t.TempDir()
	code, _, errs := runLoadline(t, "durability", dir, "--writes", "20", "--blocks", "4000", "--cut", "true", "--results", results)
	if code != exitFailed || !strings.Contains(errs, "the ledger cannot be written: ") || !strings.Contains(errs, "no space left on device") || !strings.Contains(errs, "next: choose another folder with --results DIR") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	empty(t, results)
	empty(t, dir)
}

// A folder that takes no file is refused before anything is measured; what could not be written after that is printed, with the run.
func TestAnOutputWithoutRoomLosesNoResult(t *testing.T) {
	args := []string{"fake:?iops=1000&cv=0.05&seed=1", "--profile", "quick", "--only", "rand-read-iops", "--quiet", "--results"}
	full := lab.Tmpfs(t, 16<<10)
	if err := os.WriteFile(filepath.Join(full, "all"), make([]byte, 16<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x.html", "x.txt", "x.json"} {
		results := t.TempDir()
		code, out, errs := runLoadline(t, append(append([]string{"run"}, args...), results, "-o", filepath.Join(full, name))...)
		if code != exitFailed || !strings.Contains(out, "rand-read-iops") || !strings.Contains(out, "saved") || !strings.Contains(out, results) || !strings.Contains(errs, "no space left on device") {
			t.Errorf("%s: exit code %d, %s%s", name, code, out, errs)
		}
	}
	code, out, errs := runLoadline(t, "compare", "fake:?iops=1000&seed=1", "fake:?iops=1001&seed=2", "--profile", "quick", "--only", "rand-read-iops", "--quiet", "--fail-on", "none",
		"--results", t.TempDir(), "-o", filepath.Join(full, "x.html"))
	if code != exitFailed || !strings.Contains(out, "rand-read-iops") || !strings.Contains(out, "saved") || !strings.Contains(errs, "no space left on device") {
		t.Errorf("a comparison: exit code %d, %s%s", code, out, errs)
	}

	if err := unix.Mount("", full, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-o", "--junit"} {
		results := t.TempDir()
		code, _, errs := runLoadline(t, append(append([]string{"run"}, args...), results, flag, filepath.Join(full, "x.xml"))...)
		if code != exitUsage || !strings.Contains(errs, "no file can be written into "+full+": read-only file system") || !strings.Contains(errs, "next: ") {
			t.Errorf("%s: exit code %d, %s", flag, code, errs)
		}
		empty(t, results)
	}
}
