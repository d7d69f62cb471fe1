package store

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// A run that cannot begin, here because its plan cannot be written, leaves no directory behind; what
// was there before stays.
func TestARunThatCannotBeginLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	kept := filepath.Join(parent, "x", "kept")
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, []byte("y"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := Start{Directory: "x", Plan: model.Plan{Schedule: model.Schedule{MaxTime: math.NaN()}}}
	if w, err := Create(parent, time.Now, run); err == nil {
		t.Errorf("%s was created", w.Dir())
	}
	trace := iotrace.Run{Request: iotrace.Request{Seconds: math.NaN()}}
	if w, err := CreateTrace(parent, "x", time.Now, trace); err == nil {
		t.Errorf("%s was created", w.Dir())
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 || entries[0].Name() != "x" {
		t.Errorf("%v is left, %v", entries, err)
	}
	if data, err := os.ReadFile(kept); err != nil || string(data) != "y" {
		t.Errorf("%q, %v", data, err)
	}
}
