// Package harm tests the promises of docs/security.md: nothing of the user's is
// harmed. Each test tries to make Loadline harm a file, a device, an object of a cluster or a
// terminal, as an attacker or an unlucky user would, with the real program on real devices.
//
// Its assumptions: a promise about safety is worth what has been tried against it. What belongs to
// the user is hashed and checked before and after, even if Loadline was killed meanwhile.
package harm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/test/lab"
)

// program is the loadline that these tests run, as separate processes, so that they can
// be killed and share nothing with the test.
var program string

// sideBySide is how many parallel tests run at once, however few processors there are: they
// mostly wait for commands, which mostly wait themselves.
const sideBySide = 6

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(sideBySide)); err != nil {
		panic(err)
	}
	lab.Share()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "harm-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "loadline")
		build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../../cmd/loadline")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "loadline does not build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// outcome is the result of a command.
type outcome struct {
	code           int
	stdout, stderr string
}

// said returns everything that the command has printed.
func (o outcome) said() string { return o.stdout + o.stderr }

// limit is how long a command may take: generous, as nothing here depends on time.
const limit = 5 * time.Minute

// loadline runs a command to its end.
func loadline(t testing.TB, args ...string) outcome {
	t.Helper()
	return begin(t, args...).wait(t)
}

// running is a loadline that has been started.
type running struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	end            context.CancelFunc
}

// begin starts a command in a new directory, in which it saves its results. It is
// killed if the test ends without having waited for it.
func begin(t testing.TB, args ...string) *running {
	t.Helper()
	return beginWith(t, nil, args...)
}

// beginWith is begin with variables that are added to the environment.
func beginWith(t testing.TB, variables []string, args ...string) *running {
	t.Helper()
	ctx, end := context.WithTimeout(context.Background(), limit)
	r := &running{end: end, cmd: exec.CommandContext(ctx, program, args...)}
	r.cmd.Env = append(os.Environ(), variables...)
	r.cmd.Dir = t.TempDir()
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	r.cmd.WaitDelay = 10 * time.Second
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end()
		_ = r.cmd.Wait() // the wait has been done already, or the process has just been killed
	})
	return r
}

// wait returns the command's outcome.
func (r *running) wait(t testing.TB) outcome {
	t.Helper()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", r.cmd, err)
	}
	o := outcome{code: r.cmd.ProcessState.ExitCode(), stdout: r.stdout.String(), stderr: r.stderr.String()}
	t.Logf("loadline %s: exit code %d\n%s%s", strings.Join(r.cmd.Args[1:], " "), o.code, o.stdout, o.stderr)
	return o
}

// eventually waits until a condition is true.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came about that %s", what)
		}
	}
}

// snapshot returns the contents of a tree, by path: kind, mode, owner, times and content. The times
// of directories are left out, as a file of Loadline's own changes them.
func snapshot(t testing.TB, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		st := info.Sys().(*syscall.Stat_t)
		line := fmt.Sprintf("%v %d:%d", info.Mode(), st.Uid, st.Gid)
		switch {
		case info.Mode().IsRegular():
			line += fmt.Sprintf(" %d bytes, changed %d.%09d, %s", info.Size(), st.Mtim.Sec, st.Mtim.Nsec, digest(t, path))
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			line += " to " + to
		}
		all[path] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unharmed fails the test if the tree has changed.
func unharmed(t testing.TB, root string, before map[string]string) {
	t.Helper()
	if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
		t.Errorf("%s is not what it was (-before +after):\n%s", root, diff)
	}
}

// digest returns the SHA-256 of a file or a device.
func digest(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := f.WriteTo(sum); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
