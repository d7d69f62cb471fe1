package journal

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOnlyAbandonedJournalsOfThisUserAreRun: what is in a journal is executed, perhaps as root.
func TestOnlyAbandonedJournalsOfThisUserAreRun(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ran := func(name string) string { return filepath.Join(tmp, "ran-"+name) }
	journal := func(name string, mode os.FileMode) string {
		dir := filepath.Join(tmp, Name+name)
		for _, err := range []error{os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "000001"), []byte("touch "+ran(name)+"\n"), 0o600), os.Chmod(dir, mode)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	journal("left", 0o700)
	journal("open", 0o777)
	held, err := Hold(journal("held", 0o700))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	elsewhere := filepath.Join(tmp, "elsewhere")
	if err := os.Rename(journal("link", 0o700), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(tmp, Name+"link")); err != nil {
		t.Fatal(err)
	}
	strange := "somebodys"
	if os.Geteuid() == 0 {
		if err := os.Chown(journal(strange, 0o700), 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := Leftovers(); found != 1 || err != nil {
		t.Errorf("%d journals were run: %v", found, err)
	}
	for name, want := range map[string]bool{"left": true, "open": false, "held": false, "link": false, strange: false} {
		if _, err := os.Stat(ran(name)); (err == nil) != want {
			t.Errorf("journal %q was run: %t, want %t", name, err == nil, want)
		}
	}
	if _, err := os.Stat(filepath.Join(tmp, Name+"left")); err == nil {
		t.Error("a journal that was run is still there")
	}
}
