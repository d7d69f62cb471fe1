package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTheProgramLendsItself: the other image gets this program, which every user may run, and a name for
// its user.
func TestTheProgramLendsItself(t *testing.T) {
	dir := t.TempDir()
	if code, stdout, stderr := start("", "--copy-program", dir); code != 0 || stdout+stderr != "" {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	copied := filepath.Join(dir, program)
	got, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(copied)
	if err != nil || info.Mode().Perm()&0o111 != 0o111 || !bytes.Equal(got, want) {
		t.Errorf("%v, %v, %d bytes of %d", err, info.Mode(), len(got), len(want))
	}
	users, err := os.ReadFile(filepath.Join(dir, "passwd"))
	if err != nil || !strings.Contains(string(users), ":x:"+strconv.Itoa(os.Geteuid())+":") || !strings.HasSuffix(string(users), "\n") {
		t.Errorf("%v: %q", err, users)
	}
	if code, _, stderr := start("", "--copy-program", filepath.Join(dir, "nowhere")); code != 1 || !strings.Contains(stderr, "cannot be copied") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
