package store

import (
	"os"
	"path/filepath"
	"testing"
)

// What should be a folder is described in a sentence that holds for links to nowhere, too.
func TestWhatIsNotAFolder(t *testing.T) {
	dir := t.TempDir()
	file, link, lost := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "lost")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{link: file, lost: filepath.Join(dir, "nowhere")} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		file: "a file, not a folder", link: "a link to a file, not a folder",
		lost: "a link to " + filepath.Join(dir, "nowhere") + ", which does not exist",
	} {
		if got := noFolder(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
