package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is no directory is refused for that reason, and not because it could not be measured.
func TestCleanupTakesADirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for place, what := range map[string]string{"/dev/null": "a character device", file: "a file", "rbd:pool/image": "not a directory"} {
		code, out, errs := runLoadline(t, "cleanup", place)
		want := "loadline: " + place + " is " + what + ": Loadline's data files are only in directories\n  next: name the directory that was measured: loadline cleanup DIR\n"
		if code != exitUsage || out != "" || errs != want {
			t.Errorf("%s: exit code %d, %s%s", place, code, out, errs)
		}
		if strings.Contains(errs, "lsblk") {
			t.Errorf("%s is sent to the list of block devices", place)
		}
	}
}
