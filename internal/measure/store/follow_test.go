package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// gathered collects the samples that Follow passes on.
type gathered struct {
	mu      sync.Mutex
	samples []model.Sample
}

func (g *gathered) take(s model.Sample) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.samples = append(g.samples, s)
}

func (g *gathered) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.samples)
}

// wait polls until there are n samples.
func (g *gathered) wait(t *testing.T, n int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); g.count() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d samples arrived, want %d", g.count(), n)
		}
	}
}

func TestFollowGivesEverySampleAsItIsFlushed(t *testing.T) {
	w := begin(t, t.TempDir())
	var got gathered
	done := make(chan error, 1)
	go func() {
		done <- Follow(t.Context(), env.Clock{}, os.DirFS(w.Dir()), time.Millisecond, got.take, func() {})
	}()
	want := record(t, w, 9)
	got.wait(t, 9)
	want = append(want, record(t, w, 30)...)
	got.wait(t, 39)
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got.samples, opaque); d != "" {
		t.Error(d)
	}
}

func TestFollowEndsWhenTheWriterIsKilledOrTheReaderGoes(t *testing.T) {
	w := begin(t, t.TempDir())
	record(t, w, 9)
	ctx, cancel := context.WithCancel(t.Context())
	var got gathered
	done := make(chan error, 1)
	go func() { done <- Follow(ctx, env.Clock{}, os.DirFS(w.Dir()), time.Millisecond, got.take, func() {}) }()
	got.wait(t, 9)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a reader that goes: %v", err)
	}
	// As after a kill: the file ends in the middle of a block, without a proper end.
	info, err := w.file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(w.Dir(), samplesFile), info.Size()-5); err != nil {
		t.Fatal(err)
	}
	if err := w.file.Close(); err != nil {
		t.Fatal(err)
	}
	var rest gathered
	if err := Follow(t.Context(), env.Clock{}, os.DirFS(w.Dir()), time.Millisecond, rest.take, func() {}); err != nil || rest.count() < 3 {
		t.Errorf("a killed writer: %v, %d samples", err, rest.count())
	}
}
