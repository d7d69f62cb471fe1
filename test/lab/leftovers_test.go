package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/test/lab/journal"
)

// TestLeftoversOfAKilledSession kills a test process and its janitor, as the end of a container does, and the server
// of its device: what remains is mounts and a loop device that nobody answers for.
func TestLeftoversOfAKilledSession(t *testing.T) {
	tmp := directory(t, "")
	cmd, ready := victim(t, tmp)
	places := []string{tmp}
	t.Setenv("TMPDIR", tmp)
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
		if _, err := journal.Leftovers(); err != nil {
			t.Error(err)
		}
		wait(t, 2*time.Minute, func() string { return leftovers(t, places) })
	})
	places = append(places, ready())
	if found, err := journal.Leftovers(); found != 0 || err != nil {
		t.Fatalf("the devices of a test that runs were taken for leftovers: %d, %v", found, err)
	}
	if left := leftovers(t, places); !strings.Contains(left, "mount /dev/loop") {
		t.Fatalf("the victim's devices are gone: %s", left)
	}
	// First the janitor, or it would begin to undo.
	for _, name := range []string{"janitor", "nbdfuse", "qemu-storage-daemon"} {
		kill(t, name, tmp, places[1])
	}
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	if left := leftovers(t, places); !strings.Contains(left, "mount /dev/loop") {
		t.Fatalf("nothing was left: %s", left)
	}
	if found, err := journal.Leftovers(); found != 1 || err != nil {
		t.Errorf("%d leftovers were found: %v", found, err)
	}
	wait(t, 10*time.Second, func() string { return leftovers(t, places) })
}

// kill ends the processes whose arguments contain the name and one of the places, which are this test's own.
func kill(t *testing.T, name string, places ...string) {
	t.Helper()
	processes, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var killed int
	for _, p := range processes {
		line, err := os.ReadFile(p)
		if err != nil || !strings.Contains(string(line), name) {
			continue
		}
		for _, place := range places {
			var pid int
			if _, err := fmt.Sscanf(p, "/proc/%d/cmdline", &pid); err == nil && strings.Contains(string(line), place) {
				syscall.Kill(pid, syscall.SIGKILL)
				killed++
				break
			}
		}
	}
	if killed == 0 {
		t.Fatalf("no process %s was found", name)
	}
}
