package durability

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// A test whose first report cannot be saved leaves nothing: not its file, not its ledger, not what was saved of the report.
func TestAReportThatCannotBeSaved(t *testing.T) {
	target, results := t.TempDir(), t.TempDir()
	dir := filepath.Join(results, "test")
	full := errors.New("no space left on device")
	o := Options{
		Target: model.Target{Name: target, Kind: model.Directory, Path: target}, BlockSize: 4096, Blocks: 4, Jobs: 1, Writes: 1, Cuts: 1, Wait: time.Second,
		ID: "test", Parent: results, MakeDirectory: func() (string, error) { return dir, os.Mkdir(dir, 0o700) },
		Save: func(*model.Durability) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "report.json"), []byte("{"), 0o600), full)
		},
		Observe: func(Update) {}, Now: time.Now,
	}
	if d, err := Run(t.Context(), env.OS(), o); d != nil || !errors.Is(err, full) {
		t.Errorf("%+v, %v", d, err)
	}
	for _, place := range []string{target, results} {
		if left, err := os.ReadDir(place); err != nil || len(left) > 0 {
			t.Errorf("left in %s: %v, %v", place, left, err)
		}
	}
}
