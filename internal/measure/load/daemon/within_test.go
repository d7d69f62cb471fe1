package daemon

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/loadline/loadline/internal/env"
)

// TestAServerInAnothersPlaceIsEnded: the name of a directory may have come to refer to a different one.
func TestAServerInAnothersPlaceIsEnded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "app")
	if err := os.MkdirAll(filepath.Join(dir, "s"), 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	e := env.OS()
	start := func() Process {
		t.Helper()
		p, err := Launch(e.Clock, Account{UID: os.Geteuid(), GID: os.Getegid()}.Command(e, filepath.Join(dir, "s"), "/bin/sleep", "600"))
		if err != nil {
			t.Skipf("no sleep: %v", err)
		}
		t.Cleanup(func() { p.Kill(syscall.SIGKILL); <-p.End })
		return p
	}
	if err := start().Within(root, "s"); err != nil {
		t.Errorf("in its place: %v", err)
	}
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "s"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := start()
	if err := p.Within(root, "s"); err == nil {
		t.Error("a process in another's directory was taken for ours")
	}
	if !p.Ended() {
		t.Error("it still runs")
	}
}
