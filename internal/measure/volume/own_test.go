//go:build linux

package volume

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// TestMain lets the test binary act as a run that is killed: it creates a data file in the given
// directory, prints its path, and waits.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LOADLINE_TEST_HOLD"); dir != "" {
		o, err := Create(model.Target{Kind: model.Directory, Path: dir}, "20261120-235200-held", 1<<20)
		path := fmt.Sprint(err)
		if err == nil {
			path = o.Path()
		}
		_, _ = os.Stdout.WriteString(path + "\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	left, err := Leftovers(dir)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, l := range left {
		if l.Stays == "" {
			paths = append(paths, l.Path)
		}
	}
	return paths
}

func TestCreateAndRemove(t *testing.T) {
	dir := t.TempDir()
	fresh := filepath.Join(dir, "mine")
	for _, tg := range []model.Target{{Kind: model.Directory, Path: dir}, {Kind: model.File, Path: fresh}} {
		if !MakesFile(tg) {
			t.Errorf("%v makes no file", tg)
		}
		o, err := Create(tg, "r1", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		path := o.Path()
		if err := o.Check(); err != nil {
			t.Error(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Size() != 1<<20 || info.Mode() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
		if left := leftovers(t, dir); len(left) != 0 {
			t.Errorf("a file in use is called a leftover: %v", left)
		}
		_, err = Create(tg, "r1", 1)
		modeltest.Refused(t, err, path+" belongs to another run", "wait for its end")
		for range 2 {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	mine := filepath.Join(dir, "precious")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Create(model.Target{Kind: model.File, Path: mine}, "r1", 1)
	modeltest.Refused(t, err, "exists already", "name another file")
	if MakesFile(model.Target{Kind: model.File, Path: "/etc/passwd"}) || MakesFile(model.Target{Kind: model.NBD}) {
		t.Error("what exists is not made")
	}
}

func TestRemoveKeepsWhatIsNotOurs(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	o, err := Create(model.Target{Kind: model.Directory, Path: dir}, "r2", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	path := o.Path()
	// Another program put a different file in its place.
	if err := os.Rename(path, other); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.Check(); err == nil || !strings.Contains(err.Error(), "was replaced by another file") {
		t.Errorf("the check says %v", err)
	}
	if err := o.Close(); err == nil || !strings.Contains(err.Error(), "was emptied") {
		t.Errorf("closing says %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "theirs" {
		t.Errorf("theirs: %q, %v", text, err)
	}
	if info, err := os.Stat(other); err != nil || info.Size() != 0 {
		t.Errorf("the own file still takes space: %v, %v", info, err)
	}
	if left := leftovers(t, dir); len(left) != 0 {
		t.Errorf("what is not ours is called a leftover: %v", left)
	}
}

func TestKilledRunLeavesALeftover(t *testing.T) {
	dir := t.TempDir()
	for _, odd := range []string{Prefix + "dir", "unrelated.data"} {
		if err := os.Mkdir(filepath.Join(dir, odd), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, Prefix+"link.data")); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "LOADLINE_TEST_HOLD="+dir)
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	path := filepath.Join(dir, Prefix+"20261120-235200-held.data")
	if err != nil || line != path+"\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	if left := leftovers(t, dir); len(left) != 0 {
		t.Errorf("the file of a living run is called a leftover: %v", left)
	}
	if held, err := Leftovers(dir); err != nil || !slices.ContainsFunc(held, func(l Leftover) bool { return l.Path == path && l.Held && l.Remove() != nil }) {
		t.Errorf("the file of a living run is not said to be held: %+v, %v", held, err)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if diff := cmp.Diff([]string{path}, leftovers(t, dir)); diff != "" {
		t.Error(diff)
	}
	found, err := Leftovers(dir)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found, func(l Leftover) bool { return l.Path == path })
	// Another run takes it over before it is removed.
	alive, err := lockLeftover(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := found[i].Remove(); err == nil {
		t.Error("the file of a living run was removed")
	}
	if err := errors.Join(alive.Close(), found[i].Remove()); err != nil {
		t.Error(err)
	}
	if left := leftovers(t, dir); len(left) != 0 {
		t.Error(left)
	}
}

func TestLeftoversOfAMissingDirectory(t *testing.T) {
	_, err := Leftovers(filepath.Join(t.TempDir(), "none"))
	modeltest.Refused(t, err, "no such file")
}

// TestCleanupDuringCreate runs a cleanup continuously while files are created: none of the new files
// may be removed.
func TestCleanupDuringCreate(t *testing.T) {
	dir := t.TempDir()
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			left, _ := Leftovers(dir)
			for _, l := range left {
				_ = l.Remove()
			}
		}
	})
	for range 300 {
		o, err := Create(model.Target{Kind: model.Directory, Path: dir}, "20261120-235200-race", 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(o.Path()); err != nil {
			t.Fatal(err)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	done.Wait()
}

// A file that a killed run left behind can be taken over under any name.
func TestAdopt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "named by the user")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if left := leftovers(t, filepath.Dir(path)); len(left) != 0 {
		t.Fatalf("what is not ours is called a leftover: %v", left)
	}
	if err := os.Link(path, path+"2"); err != nil {
		t.Fatal(err)
	}
	target := model.Target{Kind: model.File, Path: path}
	if _, err := Adopt(target, path); err == nil || !strings.Contains(err.Error(), "a second name") {
		t.Fatalf("a file with a second name was adopted: %v", err)
	}
	if err := os.Remove(path + "2"); err != nil {
		t.Fatal(err)
	}
	o, err := Adopt(target, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Adopt(target, path); !errors.Is(err, errInUse) {
		t.Errorf("it was adopted twice: %v", err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if _, err := Adopt(target, path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there was adopted: %v", err)
	}
}
