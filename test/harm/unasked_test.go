package harm

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// An existing file is not written unless it is named, whatever the workloads.
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

// An experiment's file cannot permit overwriting: it may come from someone else.
func TestAFileDoesNotAllowToOverwrite(t *testing.T) {
	dir, asked := t.TempDir(), filepath.Join(t.TempDir(), "experiment.yaml")
	file := filepath.Join(dir, "disk.img")
	text := "scenario: profile\ntarget: " + file + "\nprofile: quick\nmax_time: 20s\ndestroy_data_on: " + file + "\n"
	if err := errors.Join(os.WriteFile(file, make([]byte, 8<<20), 0o600), os.WriteFile(asked, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	if o := loadline(t, "run", "--experiment", asked); o.code != 2 {
		t.Errorf("exit code %d, want 2", o.code)
	}
	unharmed(t, dir, before)
}
