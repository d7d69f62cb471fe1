package lab

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// lockedBuffer takes the output of a running process.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// recorder is a T that records what a test would have done.
type recorder struct {
	T
	skipped, failed string
}

func (r *recorder) Helper() {}
func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// record runs f as a test would be run.
func record(f func(T)) *recorder {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

func TestNeed(t *testing.T) {
	t.Setenv("LOADLINE_LAB", "")
	t.Setenv("PATH", t.TempDir())
	r := record(func(t T) { Need(t, "nbdfuse") })
	if want := "skipped: nbdfuse is not installed (apt-get install libnbd-bin)"; r.skipped != want || r.failed != "" {
		t.Errorf("skipped with %q, failed with %q; want a skip with %q", r.skipped, r.failed, want)
	}
	for _, strict := range []string{"required", "programs"} {
		t.Setenv("LOADLINE_LAB", strict)
		r = record(func(t T) { Need(t, "nbdfuse") })
		if r.skipped != "" || !strings.Contains(r.failed, "apt-get install libnbd-bin") {
			t.Errorf("%s: skipped with %q, failed with %q; want a failure that says what to install", strict, r.skipped, r.failed)
		}
	}
}

func TestUnavailable(t *testing.T) {
	for strict, fails := range map[string]bool{"": false, "programs": false, "required": true} {
		t.Setenv("LOADLINE_LAB", strict)
		r := record(func(t T) { Unavailable(t, "no %s", "loops") })
		if (r.failed != "") != fails || (r.skipped != "") == fails || !strings.Contains(r.failed+r.skipped, "no loops") {
			t.Errorf("LOADLINE_LAB=%q: skipped with %q, failed with %q", strict, r.skipped, r.failed)
		}
	}
}

func TestLockKeepsOtherProcessesOut(t *testing.T) {
	Lock(t)
	Lock(t) // again in the same process: no deadlock
	path := filepath.Join(os.TempDir(), lockName)
	try := func() error { return exec.Command("flock", "-n", path, "true").Run() }
	if try() == nil {
		t.Error("another process could take the lock while a test holds it")
	}
	t.Run("an inner test ends", func(t *testing.T) { Lock(t) })
	if try() == nil {
		t.Error("the end of an inner test has released the lock of the outer one")
	}
}

func TestLockWaits(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	cmd := exec.Command("flock", path, "sh", "-c", "echo locked; sleep 0.5")
	out := &lockedBuffer{}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Skipf("skipped: no flock: %v", err)
	}
	defer cmd.Wait()
	wait(t, 10*time.Second, func() string {
		if out.String() == "" {
			return "flock has not started"
		}
		return ""
	})
	began := time.Now()
	f, err := acquire(path, syscall.LOCK_EX, t)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if waited := time.Since(began); waited < 200*time.Millisecond {
		t.Errorf("waited only %s for a lock that was held for 0.5 s", waited)
	}
}

func TestNeedPackagesLooksAtVersions(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	need := func(t T) { NeedPackages(t, dir) }
	write("package.json", `{"devDependencies":{"some":"1.2.3"}}`)
	for have, ready := range map[string]bool{"": false, "1.2.2": false, "1.2.3": true} {
		if have != "" {
			write("node_modules/some/package.json", `{"version":"`+have+`"}`)
		}
		for strict, failed := range map[string]bool{"": false, "programs": true, "required": true} {
			t.Setenv("LOADLINE_LAB", strict)
			r := record(need)
			if got := r.skipped == "" && r.failed == ""; got != ready {
				t.Errorf("version %q: ready %v, want %v", have, got, ready)
			}
			if got := r.failed != ""; !ready && got != failed {
				t.Errorf("version %q, LOADLINE_LAB=%s: failed %v, want %v", have, strict, got, failed)
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
	}
}
