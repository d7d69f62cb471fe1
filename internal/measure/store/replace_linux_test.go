package store

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Where there is no room for the new files beside the old ones, they replace these one after the other.
func TestFilesSavedWithLittleRoom(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,nr_inodes=6"); err != nil {
		t.Skipf("skipped: nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, text := range []string{"1", "2"} {
		// The root, four files and one draft.
		large := []byte(strings.Repeat(text, 200<<10))
		if err := f.WriteAll(File{"a", large}, File{"b", large}, File{"c", large}, File{"d", large}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(got) != 200<<10 || got[0] != '2' {
			t.Errorf("%s holds %d bytes, %v", name, len(got), err)
		}
	}
}
