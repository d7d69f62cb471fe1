package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/live"
	"github.com/loadline/loadline/internal/show/report/progress"
	"github.com/loadline/loadline/internal/show/report/term"
)

// progressFlag is the name of the flag that selects the form of the progress.
const progressFlag = "progress"

// progressForms are the valid values of --progress.
var progressForms = []string{"text", "json"}

// registerProgress adds --progress to a verb that measures; beginProgress implements it.
func registerProgress(cmd *cobra.Command) {
	cmd.Flags().String(progressFlag, progressForms[0], "progress on standard error: text, or json for one line of JSON per event (docs/ci.md)")
}

// beginProgress turns everything written to standard error into events if
// --progress json is given.
func beginProgress(e *env.Env, cmd *cobra.Command) error {
	flag := cmd.Flags().Lookup(progressFlag)
	if flag == nil || flag.Value.String() == progressForms[0] {
		return nil
	}
	if err := oneOf("--"+progressFlag, flag.Value.String(), progressForms); err != nil {
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
	return live.New(e.Stderr, live.Options{
		Interactive: e.Terminal.Interactive, Color: e.Terminal.Color, Unicode: e.Terminal.Unicode, Width: e.Terminal.Width, Quiet: quiet,
	})
}

// emitPlan reports what is going to be measured as an event; false if progress is shown as text.
func emitPlan(e *env.Env, run model.Run, directory string, plans ...model.Plan) bool {
	if emitsEvents(e) {
		eventsOf(e).Plan(run.ID, directory, run.Labels, plans...)
		return true
	}
	return false
}
