package harm

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that the user has is not written without being named, whatever the workloads.
func TestExistingFileIsNotWrittenUnasked(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "disk.img")
	if err := os.WriteFile(file, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	if o := loadline(t, "run", file, "--profile", "quick", "--max-time", "5s"); o.code != 2 {
		t.Errorf("exit code %d, want 2", o.code)
	}
	unharmed(t, dir, before)
}
