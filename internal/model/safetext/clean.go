// Package safetext makes text safe to display: foreign text for one line of a terminal, and any word
// for a command line that is to be pasted.
//
// Its assumptions: readers trust what they see, so invisible characters are removed or escaped.
package safetext

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sequence matches an escape sequence, as found in the coloured output of tools.
var sequence = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// Clean makes foreign text (a path, a server's answer, a tool's output) safe to show within one line of
// a terminal: escape sequences and invisible characters are removed, including those that change the
// writing direction; line breaks and other control characters become spaces, and invalid UTF-8 the
// replacement character. All foreign text passes through it before it is shown.
func Clean(text string) string {
	return strings.Map(visible, sequence.ReplaceAllString(text, ""))
}

// CleanLines is Clean for text that may have several lines: it keeps line breaks and tabs.
func CleanLines(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return visible(r)
	}, sequence.ReplaceAllString(text, ""))
}

// visible returns what to show for a character: a space for a control character, and nothing (-1) for
// an invisible one.
func visible(r rune) rune {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return ' '
	case Invisible(r):
		return -1
	}
	return r
}

// Invisible reports whether a character is not visible itself, but joins, hides or reorders others.
func Invisible(r rune) bool {
	return r >= 0x80 && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// ShellWord quotes a word for command lines that users are asked to paste: a POSIX shell gets exactly
// these bytes as one word. Words with control characters, invisible characters or invalid UTF-8 are
// written as $'…', which bash, zsh, ksh and POSIX 2024 support, so that what is pasted is what is seen.
func ShellWord(word string) string {
	bare, printable := word != "" && word[0] != '=', utf8.ValidString(word)
	for _, r := range word {
		bare = bare && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_@%+=:,./-", r))
		printable = printable && unicode.IsPrint(r) && !Invisible(r)
	}
	switch {
	case !printable:
		return escaped(word)
	case bare:
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// escaped writes a word as $'…', with everything but visible ASCII as octal escapes.
func escaped(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(word) {
		switch c := word[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteString("'")
	return b.String()
}
