package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestMakeParentSaysWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	pipe, link, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("away", link), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string]string{
		pipe:                       pipe + " is a named pipe",
		link:                       link + " is a link to " + filepath.Join(dir, "away") + ", which does not exist",
		filepath.Join(file, "sub"): file + " is a file",
		filepath.Join(link, "sub"): link + " is a link to",
	} {
		if _, err := MakeDirectory(name, "run"); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want %q", name, err, words)
		}
	}
	if _, err := MakeDirectory(filepath.Join(dir, "new", "folder"), "run"); err != nil {
		t.Error(err)
	}
}

func TestAReservedFolderIsRemovedUnlessItIsUsed(t *testing.T) {
	dir := t.TempDir()
	results := filepath.Join(dir, "a", "b")
	release, err := Reserve(results)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(results); err != nil {
		t.Error(err)
	}
	release()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
	if release, err = Reserve(results); err == nil {
		err = os.WriteFile(filepath.Join(results, "other"), nil, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := os.Stat(filepath.Join(results, "other")); err != nil {
		t.Error(err)
	}
	if release, err = Reserve(filepath.Join(results, "c")); err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := os.Stat(results); err != nil {
		t.Errorf("it was there before: %v", err)
	}
}

// What somebody has put in its place meanwhile stays.
func TestAReservedFolderThatWasReplacedStays(t *testing.T) {
	for name, replace := range map[string]func(name string) error{
		"a file": func(name string) error { return os.WriteFile(name, []byte("mine"), 0o600) },
		"a link": func(name string) error { return os.Symlink(t.TempDir(), name) },
	} {
		results := filepath.Join(t.TempDir(), "results")
		release, err := Reserve(results)
		if err == nil {
			err = errors.Join(os.Remove(results), replace(results))
		}
		if err != nil {
			t.Fatal(err)
		}
		release()
		if _, err := os.Lstat(results); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	release, err := Reserve(dir + "/new/../other")
	if err != nil {
		t.Fatal(err)
	}
	release()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}
