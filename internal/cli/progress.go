package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
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

// progressFlag is the name of the flag that selects the form of the progress.
const progressFlag = "progress"

// registerProgress adds --progress to a verb that measures; beginProgress implements it.
func registerProgress(cmd *cobra.Command) {
	cmd.Flags().String(progressFlag, flags.ProgressForms[0], "progress on standard error: text, or json for one line of JSON per event (docs/ci.md)")
}

// beginProgress turns everything written to standard error into events if
// --progress json is given.
func beginProgress(e *env.Env, cmd *cobra.Command) error {
	flag := cmd.Flags().Lookup(progressFlag)
	if flag == nil || flag.Value.String() == flags.ProgressForms[0] {
		return nil
	}
	if err := flags.OneOf("--"+progressFlag, flag.Value.String(), flags.ProgressForms); err != nil {
		return err
	}
	if quiet := cmd.Flags().Lookup("quiet"); quiet != nil && quiet.Value.String() == "true" {
		return model.RefusedError("--quiet turns progress off, but --progress json asks for it", "leave one of them out")
	}
	if l := eventsOf(e); l != nil {
		l.Begin()
		// Events need no redrawn lines and no colors.
		e.Terminal = env.Terminal{Unicode: true, Width: e.Terminal.Width}
	}
	return nil
}

// withEvents returns an environment whose standard error can carry events.
func withEvents(e *env.Env) *env.Env {
	changed := *e
	changed.Stderr = progress.New(e.Stderr, e.Now)
	return &changed
}

// eventsOf returns the event writer on standard error; nil if there is none.
func eventsOf(e *env.Env) *progress.Lines {
	l, _ := term.Raw(e.Stderr).(*progress.Lines)
	return l
}

// emitsEvents reports whether standard error carries events.
func emitsEvents(e *env.Env) bool {
	l := eventsOf(e)
	return l != nil && l.On()
}

// watcher shows the progress of a measurement.
type watcher interface {
	engine.Observer
	// Clear makes room for other output, Close ends the display.
	Clear()
	Close()
}

// newWatcher returns a watcher that shows the progress of a measurement on standard error.
func newWatcher(e *env.Env, quiet bool) watcher {
	if emitsEvents(e) {
		return eventsOf(e)
	}
	return live.New(e.Stderr, liveOptions(e, quiet))
}

// liveOptions describe what standard error can show of a progress.
func liveOptions(e *env.Env, quiet bool) live.Options {
	return live.Options{Interactive: e.Terminal.Interactive, Color: e.Terminal.Color, Unicode: e.Terminal.Unicode, Width: e.Terminal.Width, Quiet: quiet}
}

// screen shows a measurement on standard error, and asks before much is written.
type screen struct {
	watcher
	env   *env.Env
	quiet bool
}

func newScreen(e *env.Env, quiet bool) *screen { return &screen{newWatcher(e, quiet), e, quiet} }

// Consent asks the user to permit a large prefill.
func (s *screen) Consent(ctx context.Context, plans ...model.Plan) error {
	return consent(ctx, s.env, s.quiet, plans...)
}

// Planned shows what is going to be measured: one target, or two that are compared.
func (s *screen) Planned(run model.Run, dir string, plans []model.Plan, found []model.ProbeResult) {
	if s.quiet || emitPlan(s.env, run, dir, plans...) {
		return
	}
	s.Clear()
	o := terminalOptions(s.env.Terminal)
	if len(plans) == 2 {
		envs := [2]model.Environment{found[0].Environment, found[1].Environment}
		_ = text.CompareHead(s.env.Stderr, secrets.Masked([2]model.Plan(plans)), envs, found[0].Tools, o)
		return
	}
	shown := secrets.Masked(plans[0])
	_ = text.Head(s.env.Stderr, &shown, found[0].Environment, found[0].Tools, o)
}

// SavedBeside shows where something else that was recorded is saved.
func (s *screen) SavedBeside(what, dir string) {
	if !s.quiet {
		printLine(s.env.Stderr, "%-7s next: loadline report %s", what, safetext.ShellWord(dir))
	}
}

// emitPlan reports what is going to be measured as an event; false if progress is shown as text.
func emitPlan(e *env.Env, run model.Run, directory string, plans ...model.Plan) bool {
	if emitsEvents(e) {
		eventsOf(e).Plan(run.ID, directory, run.Labels, plans...)
		return true
	}
	return false
}
