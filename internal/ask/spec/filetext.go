package spec

import (
	"regexp"
	"strings"
	"unicode"
)

// fileText is the text of a file of the user's within a document.
type fileText string

// formatFile leaves out an empty text.
func formatFile(s string) any {
	if s == "" {
		return nil
	}
	return fileText(s)
}

// blocky is text that a YAML block holds as it is: lines that do not end in blanks, the
// first without an indent, with one end of line behind the last.
var blocky = regexp.MustCompile(`^[^\s][^\n]*\n(?:[^\n]*[^\s]\n|\n)*$`)

// block writes the text as a block of lines, as people wrote it, where that comes back
// exactly, and else in quotation marks.
func (t fileText) block() string {
	s := string(t)
	strange := strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
	if strange || !blocky.MatchString(s) || strings.HasSuffix(s, "\n\n") {
		return quote(s)
	}
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = "  " + line
		}
	}
	return "|\n" + strings.Join(lines, "\n")
}
