package volume

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/procfs"
)

func TestWorkDirIsRemovedWithWhatRunsInIt(t *testing.T) {
	dir := t.TempDir()
	w, err := MakeWorkDir(dir, "20261122-101500-pg")
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(w.Path(), "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	// One process was started for the measurement, the other is a user's that happens to be in the
	// directory.
	sleeper, visitor := exec.Command("sleep", "600"), exec.Command("sleep", "600")
	sleeper.Dir, visitor.Dir = data, data
	sleeper.Env = append(os.Environ(), env.StartedByUs)
	for _, c := range []*exec.Cmd{sleeper, visitor} {
		if err := c.Start(); err != nil {
			t.Skipf("no sleep: %v", err)
		}
	}
	go func() { _ = sleeper.Wait() }()
	t.Cleanup(func() { _ = visitor.Process.Kill(); _ = visitor.Wait() })
	if left, err := AbandonedWorkDirs(dir); err != nil || len(left) != 1 || !left[0].Held || left[0].Remove(nil) == nil {
		t.Errorf("a held working directory is not said to be held: %+v, %v", left, err)
	}
	// Several runs with the same name in the same second get different directories, up to a limit.
	for range mostAtOnce - 1 {
		again, err := MakeWorkDir(dir, "20261122-101500-pg")
		if err != nil || again.Path() == w.Path() || !workDirName.MatchString(filepath.Base(again.Path())) {
			t.Fatalf("the same again: %v, %v", again, err)
		}
		defer func() {
			if err := again.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	if _, err := MakeWorkDir(dir, "20261122-101500-pg"); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("many times: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("twice: %v", err)
	}
	if _, err := os.Lstat(w.Path()); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if ids := procfs.ProcessesBelow(data); !slices.Equal(ids, []int{visitor.Process.Pid}) {
		t.Errorf("left are the processes %v, want somebody else's, %d", ids, visitor.Process.Pid)
	}
}

func TestAbandonedWorkDir(t *testing.T) {
	dir := t.TempDir()
	w, err := MakeWorkDir(dir, "20261122-101501-pg")
	if err != nil {
		t.Fatal(err)
	}
	// Its process is gone: the lock is free, the files stay.
	w.release()
	if err := os.MkdirAll(filepath.Join(w.path, "data", "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(dir, "precious")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(w.path, "data", "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".loadline-notes.app", "cluster", ".loadline-20261122-101502-x.app.old"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// A directory that everybody may write to was not created by Loadline.
	open := filepath.Join(dir, ".loadline-20261122-101503-x.app")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	left, err := AbandonedWorkDirs(dir)
	left = slices.DeleteFunc(left, func(a Abandoned) bool { return a.Held })
	if err != nil || len(left) != 2 {
		t.Fatalf("%v, %v", left, err)
	}
	for _, a := range left {
		if (a.Path == open) != (a.Stays != "") {
			t.Errorf("%s: stays %q", a.Path, a.Stays)
		}
		if err := a.Remove(nil); (err != nil) != (a.Path == open) {
			t.Errorf("%s: %v", a.Path, err)
		}
	}
	for _, path := range []string{outside, open, filepath.Join(dir, "cluster"), filepath.Join(dir, ".loadline-notes.app")} {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%v", err)
		}
	}
	if _, err := os.Lstat(w.path); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

// A run removes what its own killed process has left, and neither what it holds nor what another run has left.
func TestRemoveWorkDirsOfARun(t *testing.T) {
	const run = "20261122-101501-pg-abcdef"
	dir := t.TempDir()
	var paths []string
	for _, id := range []string{run, run, run, "20261122-101501-pg-ghijkl"} {
		w, err := MakeWorkDir(dir, id)
		if err != nil {
			t.Fatal(err)
		}
		if paths = append(paths, w.Path()); len(paths) == 3 {
			defer w.Close()
		} else {
			w.release()
		}
	}
	if err := RemoveWorkDirsOf(run, dir, nil); err != nil {
		t.Error(err)
	}
	for i, path := range paths {
		if _, err := os.Lstat(path); os.IsNotExist(err) != (i < 2) {
			t.Errorf("%d, %s: %v", i, path, err)
		}
	}
	if err := RemoveWorkDirsOf(run, filepath.Join(dir, "none"), nil); err == nil {
		t.Error("a directory that does not exist was looked through")
	}
}

// The owner of the parent directory can put something else in the place of a working directory while
// it is in use: then neither the files nor the processes there are touched.
func TestWorkDirInWhosePlaceSomethingElseIs(t *testing.T) {
	for _, abandoned := range []bool{false, true} {
		dir, foreign := t.TempDir(), t.TempDir()
		precious := filepath.Join(foreign, "precious")
		if err := os.WriteFile(precious, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		sleeper := exec.Command("sleep", "600")
		sleeper.Dir = foreign
		if err := sleeper.Start(); err != nil {
			t.Skipf("no sleep: %v", err)
		}
		t.Cleanup(func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() })
		w, err := MakeWorkDir(dir, "20261122-101504-pg")
		if err != nil {
			t.Fatal(err)
		}
		if abandoned {
			a := Abandoned{Path: w.path}
			w.release()
			if w, err = a.hold(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Root().MkdirAll("data/base", 0o700); err != nil {
			t.Fatal(err)
		}
		moved := filepath.Join(dir, "moved")
		if err := os.Rename(w.Path(), moved); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(foreign, w.Path()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err == nil || !strings.Contains(err.Error(), "somebody else has renamed") {
			t.Errorf("%v", err)
		}
		if _, err := os.Stat(precious); err != nil {
			t.Errorf("what somebody else's directory held is gone: %v", err)
		}
		if ids := procfs.ProcessesBelow(foreign); len(ids) != 1 {
			t.Errorf("of the processes in somebody else's directory are left: %v", ids)
		}
		if entries, err := os.ReadDir(moved); err != nil || len(entries) > 0 {
			t.Errorf("Loadline's own holds %v, %v", entries, err)
		}
		if left, err := AbandonedWorkDirs(dir); err != nil || len(left) != 1 || left[0].Stays != "it is not a directory" {
			t.Errorf("the link: %v, %v", left, err)
		}
	}
}

// TestSameFilesystem: a file that does not exist yet is where its directory is, and what has no path is nowhere.
func TestSameFilesystem(t *testing.T) {
	dir := t.TempDir()
	for other, want := range map[string]bool{dir: true, filepath.Join(dir, "new"): true, filepath.Join(dir, "no", "new"): false, "/dev": false, "": false} {
		if got := SameFilesystem(dir, other); got != want {
			t.Errorf("%q: %v", other, got)
		}
	}
}
