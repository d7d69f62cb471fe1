// Package screen shows what a measurement does on the standard error of a command, and asks the user
// there before much is written. Its assumptions: progress is text for people or, if a
// program asks for it, one event per line, and then everything on the stream is an event; a
// question is asked only where somebody can answer; --quiet silences progress, but nothing that
// the user must know.
package screen

import (
	"context"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/live"
	"github.com/loadline/loadline/internal/show/report/progress"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// WithEvents returns an environment whose standard error can carry events.
func WithEvents(e *env.Env) *env.Env {
	changed := *e
	changed.Stderr = progress.New(e.Stderr, e.Now)
	return &changed
}

// Events returns the event writer on standard error; nil if there is none.
func Events(e *env.Env) *progress.Lines {
	l, _ := term.Raw(e.Stderr).(*progress.Lines)
	return l
}

// EmitsEvents reports whether standard error carries events.
func EmitsEvents(e *env.Env) bool {
	l := Events(e)
	return l != nil && l.On()
}

// BeginEvents turns everything written to standard error into events, if it can carry them.
func BeginEvents(e *env.Env) {
	if l := Events(e); l != nil {
		l.Begin()
		// Events need no redrawn lines and no colors.
		e.Terminal = env.Terminal{Unicode: true, Width: e.Terminal.Width}
	}
}

// Watcher shows the progress of a measurement.
type Watcher interface {
	engine.Observer
	// Clear makes room for other output.
	Clear()
	// Close ends the display.
	Close()
}

// newWatcher returns a watcher that shows the progress of a measurement on standard error.
func newWatcher(e *env.Env, quiet bool) Watcher {
	if EmitsEvents(e) {
		return Events(e)
	}
	return live.New(e.Stderr, Live(e, quiet))
}

// Live returns what standard error can show of a progress.
func Live(e *env.Env, quiet bool) live.Options {
	return live.Options{Interactive: e.Terminal.Interactive, Color: e.Terminal.Color, Unicode: e.Terminal.Unicode, Width: e.Terminal.Width, Quiet: quiet}
}

// Screen shows a measurement on standard error, and asks before much is written.
type Screen struct {
	Watcher
	env   *env.Env
	quiet bool
}

// New returns a screen that shows a measurement, or with quiet only what the user must know.
func New(e *env.Env, quiet bool) *Screen { return &Screen{newWatcher(e, quiet), e, quiet} }

// Consent asks the user to permit a large prefill.
func (s *Screen) Consent(ctx context.Context, plans ...model.Plan) error {
	return consent(ctx, s.env, s.quiet, plans...)
}

// Planned shows what is going to be measured: one target, or two that are compared.
func (s *Screen) Planned(run model.Run, dir string, plans []model.Plan, found []model.ProbeResult) {
	if s.quiet || emitPlan(s.env, run, dir, plans...) {
		return
	}
	s.Clear()
	o := Text(s.env.Terminal)
	if len(plans) == 2 {
		envs := [2]model.Environment{found[0].Environment, found[1].Environment}
		_ = text.CompareHead(s.env.Stderr, secrets.Masked([2]model.Plan(plans)), envs, found[0].Tools, o)
		return
	}
	shown := secrets.Masked(plans[0])
	_ = text.Head(s.env.Stderr, &shown, found[0].Environment, found[0].Tools, o)
}

// SavedBeside shows where something else that was recorded is saved.
func (s *Screen) SavedBeside(what, dir string) {
	if !s.quiet {
		term.PrintLine(s.env.Stderr, "%-7s next: loadline report %s", what, safetext.ShellWord(dir))
	}
}

// emitPlan reports what is going to be measured as an event; false if progress is shown as text.
func emitPlan(e *env.Env, run model.Run, directory string, plans ...model.Plan) bool {
	if EmitsEvents(e) {
		Events(e).Plan(run.ID, directory, run.Labels, plans...)
		return true
	}
	return false
}
