package postgres

import (
	"os"
	"path/filepath"
	"testing"
)

// A server started by root must not keep its log in a directory that another user could replace.
func TestSwappable(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make directories of others")
	}
	base := t.TempDir()
	for _, c := range []struct {
		name string
		mode os.FileMode
		uid  int
		safe bool
	}{
		{"of root", 0o755, 0, true},
		{"sticky", 0o777 | os.ModeSticky, 0, true},
		{"open", 0o777, 0, false},
		{"of a group", 0o775, 0, false},
		{"of somebody", 0o755, 12345, false},
	} {
		above := filepath.Join(base, c.name)
		dir := filepath.Join(above, "log")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(above, c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(above, c.uid, 0); err != nil {
			t.Fatal(err)
		}
		if got := swappable(dir); (got == "") != c.safe || !c.safe && got != above {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
