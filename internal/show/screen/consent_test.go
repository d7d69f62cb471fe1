package screen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

func TestALargePrefillIsAnnouncedAndAskedFor(t *testing.T) {
	plan := func(size, requested int64, kind model.TargetKind) model.Plan {
		return model.Plan{Experiment: model.Experiment{Size: requested}, PrefillSeconds: 26,
			Volume: model.Volume{Target: model.Target{Name: ".", Kind: kind}, Size: size, Prefill: true}}
	}
	large := []model.Plan{plan(27<<30, 0, model.Directory)}
	for name, c := range map[string]struct {
		plans          []model.Plan
		typed          string
		terminal, yes  bool
		says, question bool
		refused        bool
	}{
		"yes":                {plans: large, typed: "y\n", terminal: true, says: true, question: true},
		"enter":              {plans: large, typed: "\n", terminal: true, says: true, question: true},
		"no":                 {plans: large, typed: "No\n", terminal: true, says: true, question: true, refused: true},
		"the end of input":   {plans: large, terminal: true, says: true, question: true, refused: true},
		"said beforehand":    {plans: large, terminal: true, yes: true, says: true},
		"no terminal":        {plans: large, says: true},
		"small":              {plans: []model.Plan{plan(10<<30, 0, model.Directory)}, terminal: true},
		"asked for":          {plans: []model.Plan{plan(27<<30, 27<<30, model.Directory)}, terminal: true},
		"only numbers":       {plans: []model.Plan{plan(27<<30, 0, model.Fake)}, terminal: true},
		"two that are large": {plans: []model.Plan{plan(6<<30, 0, model.Directory), plan(6<<30, 0, model.Directory)}, says: true},
	} {
		var out bytes.Buffer
		e := &env.Env{Stdin: strings.NewReader(c.typed), Stderr: &out, Answers: c.terminal, Yes: c.yes}
		err := consent(t.Context(), e, false, c.plans...)
		var worker *model.WorkerError
		if refused := errors.As(err, &worker) && worker.Class == model.Refused; refused != c.refused || (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
		if said := strings.Contains(out.String(), "GiB first ("); said != c.says || said != strings.Contains(out.String(), "; use --size to write less\n") || strings.Contains(out.String(), "[Y/n]") != c.question {
			t.Errorf("%s: said %q", name, out.String())
		}
	}
}

// A prompt can be interrupted.
func TestAQuestionIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, end := io.Pipe()
	defer end.Close()
	e := &env.Env{Stdin: in, Stderr: io.Discard, Answers: true}
	p := model.Plan{Volume: model.Volume{Size: 27 << 30, Prefill: true, Target: model.Target{Kind: model.Directory}}}
	if err := consent(ctx, e, true, p); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
