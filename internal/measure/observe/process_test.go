package observe

import (
	"os"
	"os/exec"
	"testing"
)

// TestProcessIsNamedForEver: a process always has the same identifier, another process in the same
// place has a different one, and one that does not exist has none.
func TestProcessIsNamedForEver(t *testing.T) {
	name := Process(os.Getpid())
	if Boot() == "" || name == "" {
		t.Skip("skipped: the kernel tells no boot here")
	}
	if name != Process(os.Getpid()) {
		t.Errorf("%s is %s a moment later", name, Process(os.Getpid()))
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	other := Process(cmd.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if other == name || Place(other) != Place(name) || Place(name) == name || Place(name) == "" {
		t.Errorf("%q and %q", name, other)
	}
	if now := Process(cmd.Process.Pid); now == other {
		t.Errorf("a process that has ended is still %s", now)
	}
	if Place("") != "" {
		t.Error("what has no name has a place")
	}
}
