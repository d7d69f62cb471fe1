package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A worker is not trusted: one that answers something else than what it was asked is an error, and nothing waits
// for it any longer.
func TestAnAnswerToSomethingElse(t *testing.T) {
	w, _ := connected(t, func(s *scripted, r model.Request) { s.emit(model.Event{ID: r.ID, Done: &struct{}{}}) })
	for name, ask := range map[string]func(context.Context) error{
		"probe":   func(ctx context.Context) error { _, err := w.Probe(ctx, model.ProbeRequest{}, nil); return err },
		"prepare": func(ctx context.Context) error { _, err := w.Prepare(ctx, model.PrepareRequest{}, nil); return err },
		"start":   func(ctx context.Context) error { _, err := w.Start(ctx, model.StartRequest{}, nil); return err },
		"idle":    func(ctx context.Context) error { _, err := w.Idle(ctx, model.IdleRequest{}); return err },
		"ceiling": func(ctx context.Context) error { _, err := w.Ceiling(ctx, model.CeilingRequest{}); return err },
	} {
		if err := ask(t.Context()); err == nil || !strings.Contains(err.Error(), "the wrong kind of answer") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
