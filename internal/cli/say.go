package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/term"
)

// forPeople is the world whose streams let nothing through that could steer a terminal:
// see term.Writer. Documents and protocols go around it, with term.Raw.
func forPeople(e *env.Env) *env.Env {
	clean := *e
	clean.Stdout, clean.Stderr = term.NewWriter(e.Stdout), term.NewWriter(e.Stderr)
	return &clean
}

// forPrograms is the world as a verb sees it whose streams carry a protocol.
func forPrograms(e *env.Env) *env.Env {
	raw := *e
	raw.Stdout = term.Raw(e.Stdout)
	return &raw
}

// sayLine prints one line for people, whatever is in the values: no name from elsewhere
// can add a line to it.
func sayLine(w io.Writer, format string, values ...any) {
	fmt.Fprintln(w, safetext.Clean(secrets.MaskText(fmt.Sprintf(format, values...))))
}

// sayError prints an error, or each of several that were joined, as a line.
func sayError(w io.Writer, err error) {
	for _, message := range messages(err) {
		if message = strings.TrimSpace(safetext.Clean(message)); message != "" {
			sayLine(w, "loadline: %s", message)
		}
	}
}

// messages are those of joined errors, else of the one.
func messages(err error) []string {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []string{err.Error()}
	}
	var all []string
	for _, e := range several.Unwrap() {
		all = append(all, messages(e)...)
	}
	if errors.Join(several.Unwrap()...).Error() != err.Error() {
		// It has words of its own around them.
		return []string{err.Error()}
	}
	return all
}

// logLines makes each entry of a log one line.
type logLines struct{ w io.Writer }

func (l logLines) Write(entry []byte) (int, error) {
	sayLine(l.w, "loadline: %s", strings.TrimRight(string(entry), "\n"))
	return len(entry), nil
}
