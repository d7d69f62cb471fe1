package term

import (
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/model/safetext"
)

// excerptLines matches an excerpt from a file at the end of a message: lines that begin with their number or, below
// it, with a bar. A line that a name adds to the message is not among them.
var excerptLines = regexp.MustCompile(`(\n *\d* \| [^\n]*)+$`)

// PrintError prints an error as one line, or joined errors as one line each, behind a prefix. Only an excerpt from
// a file keeps its own lines: the caret in it points at a column.
func PrintError(w io.Writer, prefix string, err error) {
	for _, message := range messages(err) {
		var excerpt []string
		if at := excerptLines.FindStringIndex(message); at != nil {
			excerpt = strings.Split(message[at[0]+1:], "\n")
			message = message[:at[0]]
		}
		if message = strings.TrimSpace(safetext.Clean(message)); message != "" {
			PrintLine(w, "%s%s", prefix, message)
		}
		for _, line := range excerpt {
			PrintLine(w, "  %s", line)
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
