package term

import (
	"strings"
	"unicode"
)

// wide lists the ranges that terminals show two columns wide (the East Asian
// wide and fullwidth blocks of Unicode's UAX #11, and emoji).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x2e80, Hi: 0xa4cf, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe4f, Stride: 1}, {Lo: 0xff00, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

// runeColumns is the width of one character.
func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// Columns is the width of a string that holds no escape sequences.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

// Cut shortens a string to at most n columns.
func Cut(s string, n int) string {
	used := 0
	for i, r := range s {
		w := runeColumns(r)
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
