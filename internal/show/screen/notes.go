package screen

import (
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// Text returns how a terminal shows text.
func Text(t env.Terminal) text.Options {
	return text.Options{Width: t.Width, Color: t.Color, Unicode: t.Unicode, Verbose: t.Verbose}
}

// HeadIsShown reports whether the head is on the screen already, because both streams
// are the same terminal.
func HeadIsShown(e *env.Env, quiet bool) bool {
	return !quiet && e.Terminal.Interactive && e.Output.Interactive
}

// Notes returns a function that prints remarks for the user on standard error; with --quiet it
// prints nothing.
func Notes(e *env.Env, quiet bool) func(string) {
	return func(words string) {
		if !quiet {
			term.PrintLine(e.Stderr, "note    %s", words)
		}
	}
}

// PrintReturned prints what was returned to thin-provisioned storage: whoever reads the device next must
// know that it reads holes. --quiet silences progress, and this is none.
func PrintReturned(e *env.Env, list []session.Returned) {
	for _, r := range list {
		term.PrintLine(e.Stderr, "space   %s of %s were returned to the storage (discard): until rewritten, these blocks are unallocated", units.FormatSize(r.Bytes), r.Target)
	}
}
