// Package safetext makes text fit for where it is shown: words from outside for one line of a
// terminal, any word for a command line that is to be pasted.
//
// Its opinion: what a reader sees is what there is, so what is invisible is taken out or spelt.
package safetext

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sequence is an escape sequence that a tool's coloured output leaves in its words.
var sequence = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// Clean makes text from elsewhere (a path, a server's answer, a tool's output) fit to
// stand within one line on a terminal: escape sequences and characters that nobody sees
// go, among them those that change the direction of writing; line breaks and other
// control characters become blanks, and bytes that are no UTF-8 the replacement
// character. Everything from outside passes through it before a person reads it.
func Clean(text string) string {
	return strings.Map(visible, sequence.ReplaceAllString(text, ""))
}

// CleanLines is Clean for a text that may have several lines: line breaks and tabs stay.
func CleanLines(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return visible(r)
	}, sequence.ReplaceAllString(text, ""))
}

// visible is what is shown of a character: a blank instead of a control character, and
// nothing (-1) instead of one that shows nothing.
func visible(r rune) rune {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return ' '
	case Invisible(r):
		return -1
	}
	return r
}

// Invisible reports whether a character shows nothing of its own: it joins, hides or turns
// around others.
func Invisible(r rune) bool {
	return r >= 0x80 && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// ShellWord quotes a word for the command lines that people are asked to paste: a
// POSIX shell gets exactly these bytes as one word, whatever they are. Words that hold
// control characters, invisible ones or no UTF-8 are written with $'…', which bash, zsh,
// ksh and POSIX of 2024 understand, so that what is pasted is what is seen.
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

// escaped writes a word as $'…', with everything but visible ASCII as octal bytes.
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
