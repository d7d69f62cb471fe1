package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// What is not proven to be left by the directory's server stays: the memory of a live server, and
// another server's segment that was written into the file.
func TestOnlyTheMemoryOfADeadServerOfTheDirectoryIsTaken(t *testing.T) {
	x := startTheirs(t)
	file := filepath.Join(x.data, "postmaster.pid")
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	id := x.shared.segment
	there := func() bool {
		var d unix.SysvShmDesc
		_, err := unix.SysvShmCtl(id, unix.IPC_STAT, &d)
		return err == nil
	}
	if RemoveShared(x.root); !there() {
		t.Fatal("the segment of a living server is gone")
	}
	_ = syscall.Kill(x.process.Process.Pid, syscall.SIGKILL)
	<-x.process.End
	t.Cleanup(func() { x.shared.remove(x.account.UID) })
	var d unix.SysvShmDesc
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &d); err != nil || time.Now().After(until) {
			t.Fatalf("%v, %d attached", err, d.Nattch)
		}
		if d.Nattch == 0 {
			break
		}
	}
	lines := strings.Split(string(was), "\n")
	key := strings.Fields(lines[6])[0]
	for name, forged := range map[string]string{
		"another process": strings.Join(append([]string{"1"}, lines[1:]...), "\n"),
		"another key":     strings.Replace(string(was), lines[6], fmt.Sprintf(" %s1 %d", key, id), 1),
		"no segment":      strings.Join(lines[:6], "\n"),
		"no numbers":      strings.Replace(string(was), lines[6], "x y", 1),
	} {
		x.write("postmaster.pid", forged)
		if RemoveShared(x.root); !there() {
			t.Fatalf("%s: the segment is gone", name)
		}
	}
	// The same file in another directory.
	x.write("postmaster.pid", string(was))
	other := t.TempDir()
	if err := os.Mkdir(filepath.Join(other, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "data", "postmaster.pid"), was, 0o600); err != nil {
		t.Fatal(err)
	}
	if x.account.Other {
		if err := os.Chown(filepath.Join(other, "data"), x.account.UID, x.account.GID); err != nil {
			t.Fatal(err)
		}
	}
	if RemoveShared(openDir(t, other)); !there() {
		t.Fatal("the segment of a server in another directory is gone")
	}
	// A named pipe in its place must not block.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	RemoveShared(x.root)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	x.write("postmaster.pid", string(was))
	if RemoveShared(x.root); there() {
		t.Error("the segment is still there")
	}
	for _, name := range x.shared.files {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// A server that initdb has started crashes when the disk is full, and its shared memory is removed.
func TestAFullDiskLeavesNoSharedMemory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	dir := newWorkDir(t)
	if err := syscall.Mount("loadline-test", dir, "tmpfs", 0, "size=20m,mode=0711"); err != nil {
		t.Skipf("no mount here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	root := openDir(t, dir)
	d := New(env.OS())
	if _, err := d.Ready(t.Context(), root, model.PrepareRequest{App: &model.AppRequest{Scale: 1}}, func(model.Progress) {}); err == nil {
		t.Fatal("a cluster fits into 20 MB, so nothing is tested")
	}
	_ = d.Leave()
	if len(strings.Split(postmasterFile(root), "\n")) < 7 {
		t.Fatal("the crashed server does not say what memory it had, so nothing is tested")
	}
	if left, _ := sharedLeft(root); left != nil {
		t.Errorf("the segment of the crashed server is left: %+v", left)
	}
}
