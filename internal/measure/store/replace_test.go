package store

import (
	"errors"
	"io/fs"
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

// Files that are saved together are saved in their order: none without the first, and of the others each that can be.
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
	check := func(a, c string) {
		t.Helper()
		for name, want := range map[string]string{"a": a, "c": c} {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
		if got := names(t, dir); !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("left behind: %q", got)
		}
	}
	if err := f.WriteAll(File{"a", []byte("2")}, File{"b", []byte("2")}, File{"c", []byte("2")}); err == nil || err.Error() != "b cannot be saved: a folder has this name" {
		t.Error(err)
	}
	check("2", "2")
	if err := f.WriteAll(File{"b", nil}, File{"a", []byte("3")}, File{"c", []byte("3")}); err == nil {
		t.Error("a folder was replaced by a file")
	}
	check("2", "2")
	if err := f.WriteAll(File{"a", []byte("4")}, File{"no-such/e", nil}, File{"c", []byte("4")}); !errors.Is(err, fs.ErrNotExist) || err.Error() != "no-such/e cannot be saved: no such file or directory" {
		t.Error(err)
	}
	check("4", "4")
}

// What a killed process was about to save is removed, and what another is about to save is not.
func TestAbandonedDraftsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	abandoned, alive := f.draft(File{"a", []byte("1")}), f.draft(File{"b", []byte("1")})
	if err := errors.Join(abandoned.err, alive.err, abandoned.file.Close(), os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	f.Tidy()
	if got := names(t, dir); !slices.Equal(got, []string{alive.fresh, "mine"}) {
		t.Errorf("%q", got)
	}
	if err := f.replace(&alive); err != nil {
		t.Error(err)
	}
}
