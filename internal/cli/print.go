package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/show/report/term"
)

// sanitizedStreams returns an environment whose streams filter out terminal control sequences:
// see term.Writer. Documents and protocols bypass the filter, with term.Raw.
func sanitizedStreams(e *env.Env) *env.Env {
	clean := *e
	clean.Stdout, clean.Stderr = term.NewWriter(e.Stdout), term.NewWriter(e.Stderr)
	return &clean
}

// rawStreams returns the environment for a verb whose streams carry a protocol.
func rawStreams(e *env.Env) *env.Env {
	raw := *e
	raw.Stdout = term.Raw(e.Stdout)
	return &raw
}

// output is the standard output of a command. It remembers that it could not be written: what nobody has read is no success.
type output struct {
	io.Writer
	mu  sync.Mutex
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.mu.Lock()
		o.err = cmp.Or(o.err, err)
		o.mu.Unlock()
	}
	return n, err
}

// code is the exit code of a command that has succeeded otherwise.
func (o *output) code(e *env.Env) int {
	switch {
	case o.err == nil:
		return exitOK
	case errors.Is(o.err, syscall.EPIPE):
		return exitUnread
	}
	printError(e.Stderr, fmt.Errorf("the output cannot be written: %w", o.err))
	return exitFailed
}

// printLine prints one line for the user. The values cannot add a line to it, even if they
// contain names from elsewhere.
func printLine(w io.Writer, format string, values ...any) {
	term.PrintLine(w, format, values...)
}

// printError prints an error as one line, or joined errors as one line each.
func printError(w io.Writer, err error) { term.PrintError(w, "loadline: ", err) }
