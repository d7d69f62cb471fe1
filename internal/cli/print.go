package cli

import (
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
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

// printLine prints one line for the user. The values cannot add a line to it, even if they
// contain names from elsewhere.
func printLine(w io.Writer, format string, values ...any) {
	term.PrintLine(w, format, values...)
}

// printReturned prints what was returned to thin-provisioned storage: whoever reads the device next must
// know that it reads holes. --quiet silences progress, and this is none.
func printReturned(e *env.Env, list []session.Returned) {
	for _, r := range list {
		printLine(e.Stderr, "space   %s of %s are returned to the storage (discard): reading them next reads holes", units.FormatSize(r.Bytes), r.Target)
	}
}

// excerptLines matches an excerpt from a file at the end of a message: lines that begin with their number or, below
// it, with a bar. A line that a name adds to the message is not among them.
var excerptLines = regexp.MustCompile(`(\n *\d* \| [^\n]*)+$`)

// printError prints an error as one line, or joined errors as one line each. Only an excerpt from a file keeps its
// own lines: the caret in it points at a column.
func printError(w io.Writer, err error) {
	for _, message := range messages(err) {
		var excerpt []string
		if at := excerptLines.FindStringIndex(message); at != nil {
			excerpt = strings.Split(message[at[0]+1:], "\n")
			message = message[:at[0]]
		}
		if message = strings.TrimSpace(safetext.Clean(message)); message != "" {
			printLine(w, "loadline: %s", message)
		}
		for _, line := range excerpt {
			printLine(w, "  %s", line)
		}
	}
}

// messages returns the messages of joined errors, or the single message of another error.
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
		// The error adds text of its own around the joined ones.
		return []string{err.Error()}
	}
	return all
}

// logLines makes each entry of a log one line.
type logLines struct{ w io.Writer }

func (l logLines) Write(entry []byte) (int, error) {
	printLine(l.w, "loadline: %s", strings.TrimRight(string(entry), "\n"))
	return len(entry), nil
}
