package results

import (
	"os"
	"path/filepath"
	"testing"
)

// What a run was to keep in the cluster stays there when its results are fetched.
func TestFetchKeepsWhatTheRunKeeps(t *testing.T) {
	for text, want := range map[string]bool{
		"scenario: profile\ntarget: sc:fast\nplace: {keep: true}\n": true, "scenario: profile\ntarget: sc:fast\n": false, "nonsense": false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "experiment.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if Keeps(dir) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	if Keeps(t.TempDir()) {
		t.Error("an empty directory")
	}
}
