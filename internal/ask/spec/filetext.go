package spec

import (
	"regexp"
	"strings"
	"unicode"
)

// fileText is the text of a user's file embedded in a document.
type fileText string

// formatFile omits empty text.
func formatFile(s string) any {
	if s == "" {
		return nil
	}
	return fileText(s)
}

// blocky matches text that a YAML block represents exactly: lines without trailing blanks, the first
// without indentation, with a single newline at the end.
var blocky = regexp.MustCompile(`^[^\s][^\n]*\n(?:[^\n]*[^\s]\n|\n)*$`)

// block writes the text as a block, as the user wrote it, if that can be read back exactly, else in
// quotation marks.
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
