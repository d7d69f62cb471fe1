package screen

import (
	"time"

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

// removalNoted is for how long what a measurement created is removed without a remark.
const removalNoted = time.Second

// UntilRemoved removes what a measurement created, and says so if that takes long: the results are there already, and a large
// file takes a filesystem seconds.
func UntilRemoved(e *env.Env, quiet bool, remove func() error) error {
	removed := make(chan error, 1)
	go func() { removed <- remove() }()
	select {
	case err := <-removed:
		return err
	case <-e.After(removalNoted):
		Notes(e, quiet)("removing the data that was written for the measurement")
	}
	return <-removed
}

// PrintReturned prints what was returned to thin-provisioned storage: whoever reads the device next must
// know that it reads holes. --quiet silences progress, and this is none.
func PrintReturned(e *env.Env, list []session.Returned) {
	for _, r := range list {
		term.PrintLine(e.Stderr, "space   %s of %s were returned to the storage (discard): until rewritten, these blocks are unallocated", units.FormatSize(r.Bytes), r.Target)
	}
}
