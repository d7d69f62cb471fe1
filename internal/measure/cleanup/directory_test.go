package cleanup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
)

// Files of the user's are neither removed nor mentioned, and a place without leftovers is said to have none.
func TestOnlyOwnFilesAreFound(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mine")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := Directory(env.OS(), dir, func(f Found) { t.Errorf("found %+v", f) })
	if err != nil || !done.Nothing || done.Where != dir {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	if _, err := Directory(env.OS(), file, nil); err == nil || !strings.Contains(err.Error(), "is a file") {
		t.Errorf("a file: %v", err)
	}
}
