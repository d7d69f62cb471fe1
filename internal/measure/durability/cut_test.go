package durability

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
)

// The ledger records the cut command without its password, but the command runs with it. Its output
// is readable only by the user running the test.
func TestACutCommandIsRecordedWithoutItsSecret(t *testing.T) {
	dir := t.TempDir()
	w := &execution{Options: &Options{CutCommand: "test hunter2 = hunter2 && echo power --password hunter2"}, env: env.OS(), path: filepath.Join(dir, LedgerFile)}
	what, _, err := w.cutWords()
	if err != nil || strings.Contains(what, "--password hunter2") || !strings.Contains(what, "--password PASSWORD") {
		t.Errorf("it is recorded as %q (%v)", what, err)
	}
	if err := w.run(t.Context(), w.CutCommand, "cut-1.log"); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "cut-1.log")
	if text, err := os.ReadFile(log); err != nil || string(text) != "power --password hunter2\n" {
		t.Errorf("the command printed %q (%v)", text, err)
	}
	if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its output has the mode %v (%v)", info.Mode(), err)
	}
}
