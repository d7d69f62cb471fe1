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

// progressFlag is the name of the flag that chooses the form of the progress.
const progressFlag = "progress"

// progressForms are what --progress knows.
var progressForms = []string{"text", "json"}

// registerProgress adds --progress to a verb that measures; beginProgress obeys it.
func registerProgress(cmd *cobra.Command) {
	cmd.Flags().String(progressFlag, progressForms[0], "progress on standard error: text, or json for one line of JSON per event (docs/ci.md)")
}

// beginProgress has everything that goes to standard error told as events, where
// --progress json asks for that.
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
		// No line is redrawn, and nothing is painted.
		e.Terminal = env.Terminal{Unicode: true, Width: e.Terminal.Width}
	}
	return nil
}

// withEvents is the world whose standard error can tell events.
func withEvents(e *env.Env) *env.Env {
	changed := *e
	changed.Stderr = progress.New(e.Stderr, e.Now)
	return &changed
}

// eventsOf is what tells events on standard error; nil where nothing can.
func eventsOf(e *env.Env) *progress.Lines {
	l, _ := term.Raw(e.Stderr).(*progress.Lines)
	return l
}

// told reports whether standard error tells events.
func told(e *env.Env) bool {
	l := eventsOf(e)
	return l != nil && l.On()
}

// watcher shows the progress of a measurement.
type watcher interface {
	engine.Observer
	// Clear makes room for something else, Close ends the showing.
	Clear()
	Close()
}

// watching shows the progress of a measurement on standard error.
func watching(e *env.Env, quiet bool) watcher {
	if told(e) {
		return eventsOf(e)
	}
	return live.New(e.Stderr, live.Options{
		Interactive: e.Terminal.Interactive, Color: e.Terminal.Color, Unicode: e.Terminal.Unicode, Width: e.Terminal.Width, Quiet: quiet,
	})
}

// tellPlan tells what is going to be measured as an event; false where people are told.
func tellPlan(e *env.Env, run model.Run, directory string, plans ...model.Plan) bool {
	if told(e) {
		eventsOf(e).Plan(run.ID, directory, run.Labels, plans...)
		return true
	}
	return false
}
