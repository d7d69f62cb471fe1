package cli

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/screen"
)

// outputCode is the exit code of a command that has succeeded otherwise: what nobody has read is no success.
func outputCode(e *env.Env, out *screen.Output) int {
	switch err := out.Err(); {
	case err == nil:
		return exitOK
	case errors.Is(err, syscall.EPIPE):
		return exitUnread
	default:
		printError(e.Stderr, fmt.Errorf("the output cannot be written: %w", err))
		return exitFailed
	}
}

// printLine prints one line for the user. The values cannot add a line to it, even if they
// contain names from elsewhere.
func printLine(w io.Writer, format string, values ...any) {
	term.PrintLine(w, format, values...)
}

// printError prints an error as one line, or joined errors as one line each.
func printError(w io.Writer, err error) { term.PrintError(w, "loadline: ", err) }
