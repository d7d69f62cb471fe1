package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/test/lab"
)

// If Loadline and its server are killed together, the server's shared memory remains. Cleanup then
// removes it, and leaves alone what is not proven to belong to that server.
func TestCleanupRemovesTheMemoryOfAServerKilledWithItsRun(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	dir := databaseDir(t)
	run := started(t, loadBelow(dir), "app", "postgres", dir, "--results", t.TempDir(), "--scale", "1", "--clients", "2", "--time", "60s")
	places, _ := filepath.Glob(filepath.Join(dir, ".loadline-*.app"))
	if len(places) != 1 {
		t.Fatalf("%v", places)
	}
	file := filepath.Join(places[0], "data", "postmaster.pid")
	text, err := os.ReadFile(file)
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) < 7 || len(strings.Fields(lines[6])) != 2 {
		t.Fatalf("%v: %q", err, text)
	}
	pid, _ := strconv.Atoi(lines[0])
	id, _ := strconv.Atoi(strings.Fields(lines[6])[1])
	files := mappedFiles(t, pid)
	if len(files) == 0 {
		t.Fatal("the server has no file in /dev/shm")
	}
	t.Cleanup(func() {
		// This removes what a failed test leaves.
		_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		for _, name := range files {
			_ = os.Remove(name)
		}
	})
	// A server's parent is the run, or its worker. They are stopped first, because they would clean up.
	status, err := os.ReadFile("/proc/" + lines[0] + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	parent, _ := strconv.Atoi(strings.Fields(string(status[bytes.LastIndexByte(status, ')')+1:]))[1])
	for _, s := range []struct {
		id     int
		signal syscall.Signal
	}{{run.Process.Pid, syscall.SIGSTOP}, {parent, syscall.SIGSTOP}, {pid, syscall.SIGKILL}, {parent, syscall.SIGKILL}, {run.Process.Pid, syscall.SIGKILL}} {
		_ = syscall.Kill(s.id, s.signal)
	}
	<-run.ended
	attached := func() (int, error) {
		var d unix.SysvShmDesc
		_, err := unix.SysvShmCtl(id, unix.IPC_STAT, &d)
		return int(d.Nattch), err
	}
	// The server's processes notice that it has died.
	limit := time.Now().Add(time.Minute)
	for n, err := attached(); n > 0; n, err = attached() {
		if err != nil || time.Now().After(limit) {
			t.Fatalf("%v, %d attached", err, n)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if _, err := attached(); err != nil {
		t.Fatalf("the segment went by itself, so nothing is tested: %v", err)
	}
	nothingLeft(t, syscall.SIGKILL, dir)
	if _, err := attached(); err == nil {
		t.Errorf("the segment %d is still there", id)
	}
	for _, name := range files {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// mappedFiles returns the files of PostgreSQL in /dev/shm that a process has mapped.
func mappedFiles(t *testing.T, pid int) (files []string) {
	t.Helper()
	maps, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		if i := strings.Index(line, "/dev/shm/PostgreSQL."); i >= 0 {
			files = append(files, strings.TrimSpace(line[i:]))
		}
	}
	return files
}
