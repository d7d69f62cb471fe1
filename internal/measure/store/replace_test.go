package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Files that are saved together are saved in their order, up to the first that cannot be.
func TestFilesSavedTogether(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.WriteAll(File{"a", []byte("1")}, File{"b", []byte("1")}, File{"c", []byte("1")}); err != nil {
		t.Fatal(err)
	}
	// A folder cannot be replaced by a file.
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "b", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteAll(File{"a", []byte("2")}, File{"b", []byte("2")}, File{"c", []byte("2")}); err == nil {
		t.Error("a folder was replaced by a file")
	}
	for name, want := range map[string]string{"a": "2", "c": "1"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if err := f.WriteAll(File{"d", nil}, File{"no-such/e", nil}, File{"f", nil}); err == nil {
		t.Error("a file was saved in a folder that does not exist")
	}
	if got := names(t, dir); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("left behind: %q", got)
	}
}
