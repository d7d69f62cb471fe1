package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/foreign/kbench"
	"github.com/loadline/loadline/internal/model"
)

// Whole commands refuse before they create or measure anything.
func TestKbenchRefusesBeforeItMeasures(t *testing.T) {
	dir := t.TempDir()
	foreign, file := filepath.Join(dir, "out.summary"), filepath.Join(dir, "test")
	if err := os.WriteFile(foreign, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := &env.Env{Stdout: io.Discard, Stderr: io.Discard}
	r, err := kbench.Parse([]string{file, filepath.Join(dir, "out"), "4M"}, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	var f kbenchFlags
	refusals := map[string]error{}
	refusals["out.summary exists"] = f.run(context.Background(), e, r)
	r.File, r.Prefix = filepath.Join(dir, "x-iops.json"), filepath.Join(dir, "x")
	refusals["is measured"] = f.run(context.Background(), e, r)
	a, b := r, r
	a.File, b.File, a.Prefix, b.Prefix = file, file+"2", filepath.Join(dir, "a"), "b"
	pair := kbench.PairFile([2]kbench.Request{a, b})
	if err := os.WriteFile(pair, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	refusals["exists and is not a result"] = f.compare(context.Background(), e, [2]kbench.Request{a, b})
	for words, err := range refusals {
		if emitsEvents, ok := errors.AsType[*model.WorkerError](err); !ok || emitsEvents.Class != model.Refused || emitsEvents.Hint == "" || !strings.Contains(emitsEvents.Message, words) {
			t.Errorf("%v, want a refusal with %q and a hint", err, words)
		}
	}
	_, made := os.Stat(file)
	_, made2 := os.Stat(filepath.Join(dir, "x-iops.json"))
	if !errors.Is(made, os.ErrNotExist) || !errors.Is(made2, os.ErrNotExist) {
		t.Errorf("something was made: %v, %v", made, made2)
	}
}
