package term

import (
	"regexp"
	"strings"

	"github.com/mattn/go-runewidth"
)

// cells are the widths of characters where ambiguous ones take one column: by itself the
// library would ask the environment, and the same report would be laid out differently.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

// Columns is the width of a string that holds no escape sequences.
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

// Shorten cuts a string to at most n columns and shows that it did.
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

// Wrap breaks text into lines of at most n columns, between words where that is
// possible. It returns at least one line. Each part of a long word is looked at once: a
// text that somebody sent may be one word of megabytes.
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
			// A long word is a path or a list: break it behind a separator.
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

// command is where a command of ours begins in what a user is told to do next.
var command = regexp.MustCompile(`(^|[ (])loadline [a-z]`)

// WrapNext is Wrap for what to do next: a command in it is never broken, however long it is,
// so that it can be copied and pasted; the terminal wraps it where it must. The command
// goes to the end of the text, or to a remark behind it, which three blanks set off.
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

// joined puts text on the last line if it fits in n columns, else on a line of its own.
func joined(lines []string, text string, n int) []string {
	if last := len(lines) - 1; Columns(lines[last])+1+Columns(text) <= n {
		lines[last] += " " + text
		return lines
	}
	return append(lines, text)
}
