package term

import (
	"regexp"
	"strings"

	"github.com/mattn/go-runewidth"
)

// cells measures character widths with ambiguous ones as one column: by default the library would
// consult the environment, and the same report would be laid out differently.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

// Columns returns the width of a string without escape sequences.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += cells.RuneWidth(r)
	}
	return n
}

// Cut shortens a string to at most n columns.
func Cut(s string, n int) string {
	used := 0
	for i, r := range s {
		w := cells.RuneWidth(r)
		if used+w > n {
			return s[:i]
		}
		used += w
	}
	return s
}

// Shorten cuts a string to at most n columns and marks that it was cut.
func (s Style) Shorten(text string, n int) string {
	if Columns(text) <= n {
		return text
	}
	mark := "…"
	if !s.Unicode {
		mark = "~"
	}
	return Cut(text, n-1) + Cut(mark, max(0, n))
}

// Pad returns the blanks that make text n columns wide.
func Pad(text string, n int) string {
	return strings.Repeat(" ", max(0, n-Columns(text)))
}

// Wrap breaks text into lines of at most n columns, between words where possible. It returns at
// least one line. It examines each part of a long word only once: text from outside may be a single
// word of megabytes.
func Wrap(text string, n int) []string {
	n = max(n, 8)
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(text) {
		head := Cut(word, n)
		columns := Columns(head)
		if line != "" && head == word && used+1+columns <= n {
			line, used = line+" "+word, used+1+columns
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for head != word {
			// A long word is a path or a list: break it after a separator.
			if i := strings.LastIndexAny(head, ",/"); i > len(head)/2 {
				head = head[:i+1]
			}
			lines = append(lines, head)
			word = word[len(head):]
			head = Cut(word, n)
		}
		line, used = word, Columns(word)
	}
	return append(lines, line)
}

// command matches the beginning of one of our commands in a suggested next step.
var command = regexp.MustCompile(`(^|[ (])loadline [a-z]`)

// WrapNext is Wrap for a suggested next step: a command in it is never broken, however long it is,
// so that it can be copied and pasted; the terminal wraps it if necessary. The command extends to
// the end of the text, or to a remark separated by three blanks.
func WrapNext(text string, n int) []string {
	at := command.FindStringIndex(text)
	if at == nil {
		return Wrap(text, n)
	}
	begin := at[0] + strings.Index(text[at[0]:], "loadline")
	typed, remark, remarked := strings.Cut(text[begin:], "   ")
	lines := []string{typed}
	if lead := strings.TrimSpace(text[:begin]); lead != "" {
		lines = joined(Wrap(lead, n), typed, n)
	}
	if remark = strings.TrimSpace(remark); remarked && remark != "" {
		wrapped := Wrap(remark, n)
		lines = append(joined(lines, wrapped[0], n), wrapped[1:]...)
	}
	return lines
}

// joined puts text on the last line if it fits in n columns, or else on a new line.
func joined(lines []string, text string, n int) []string {
	if last := len(lines) - 1; Columns(lines[last])+1+Columns(text) <= n {
		lines[last] += " " + text
		return lines
	}
	return append(lines, text)
}
