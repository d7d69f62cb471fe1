package lab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKilledTestLeavesNothing tests the worst case: a test process that has a
// file system on a loop device on nbdfuse on a throttled NBD export, and is
// killed with SIGKILL.
func TestKilledTestLeavesNothing(t *testing.T) {
	tmp := directory(t, "")
	cmd, ready := victim(t, tmp)
	// Also if this test fails: tmp has the victim's journal, and must stay until
	// the janitor has read it.
	places := []string{tmp}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
		wait(t, 2*time.Minute, func() string { return leftovers(t, places) })
	})
	places = append(places, ready())
	left := leftovers(t, places)
	for _, kind := range []string{"process qemu-storage-daemon", "process nbdfuse", "mount /dev/fuse", "mount /dev/loop", "file "} {
		if !strings.Contains(left, kind) {
			t.Errorf("the search for leftovers finds no %q while everything is there: %s", kind, left)
		}
	}
}

// victim starts TestVictim, with a temporary directory of its own, which gives it a separate lock and shows what it leaves.
// ready waits for its devices, and returns where it keeps their memory.
func victim(t *testing.T, tmp string) (cmd *exec.Cmd, ready func() (memory string)) {
	t.Helper()
	Need(t, "qemu-storage-daemon")
	needFUSE(t)
	needLoop(t)
	cmd = exec.Command(os.Args[0], "-test.run=^TestVictim$", "-test.v")
	cmd.Env = append(os.Environ(), "LOADLINE_LAB_VICTIM=1", "TMPDIR="+tmp)
	out := &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, func() (memory string) {
		t.Helper()
		wait(t, 2*time.Minute, func() string {
			_, after, found := strings.Cut(out.String(), "victim is ready, memory in ")
			if !found {
				return "the victim has not started its devices: " + out.String()
			}
			memory, _, _ = strings.Cut(strings.TrimSpace(after), "\n")
			return ""
		})
		return memory
	}
}

// TestVictim is the process that the tests of killed tests kill.
func TestVictim(t *testing.T) {
	if os.Getenv("LOADLINE_LAB_VICTIM") == "" {
		t.Skip("skipped: only the tests of killed tests run it, in a process of its own")
	}
	d := Throttled(t, Throttle{IOPS: 5000, Size: 32 * mebi})
	dir := Filesystem(t, Block(t, d), "ext4")
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, socket, _ := strings.Cut(d.URI, "socket=")
	fmt.Println("victim is ready, memory in", filepath.Dir(socket))
	time.Sleep(time.Minute)
}

// leftovers lists the mounts, loop devices, processes and files below the places.
func leftovers(t *testing.T, places []string) string {
	t.Helper()
	var left []string
	below := func(line string) bool {
		return slices.ContainsFunc(places, func(p string) bool { return strings.Contains(line, p) })
	}
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		if below(line) {
			left = append(left, "mount "+line)
		}
	}
	loops, err := exec.Command("losetup", "-n", "-O", "NAME,BACK-FILE").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(loops)) {
		if below(line) {
			left = append(left, "loop "+line)
		}
	}
	processes, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range processes {
		// A process may end while it is being read.
		if line, err := os.ReadFile(p); err == nil && below(string(line)) {
			left = append(left, "process "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	for _, p := range places {
		files, _ := os.ReadDir(p)
		for _, f := range files {
			if f.Name() == lockName {
				continue // stays, so that there is only one lock
			}
			left = append(left, "file "+filepath.Join(p, f.Name()))
		}
	}
	return strings.Join(left, "\n")
}

// wait polls until still returns "", and fails with the last other value.
func wait(t *testing.T, limit time.Duration, still func() string) {
	t.Helper()
	for deadline := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		said := still()
		if said == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %s", limit, said)
		}
	}
}
