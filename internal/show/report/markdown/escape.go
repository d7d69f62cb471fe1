package markdown

import (
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/show/report/term"
)

// plain removes what no text should hold: control characters, invisible ones, line
// breaks.
func plain(s string) string { return strings.TrimSpace(term.Style{Unicode: true}.Text(s)) }

// special are the characters that mean something to Markdown, to its tables, to
// HTML, or to the places that show it (formulas). A backslash, or an entity where
// renderers differ on the backslash, makes them text again.
var special = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "~", "\\~",
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;", "$", "&#36;")

// A mention, an issue's number and an address are found in text after Markdown is
// done: only a character of no width between the sign and the word stops that.
var (
	mention = regexp.MustCompile(`@([\pL\pN_])`)
	issue   = regexp.MustCompile(`([#!])(\d)`)
	github  = regexp.MustCompile(`(?i)\b(GH-)(\d)`)
	scheme  = regexp.MustCompile(`(?i)\b(https?|ftp|mailto|xmpp):`)
	www     = regexp.MustCompile(`(?i)\bwww\.`)
)

const nothing = "\u200b"

// inline makes any text a part of a line that means nothing but itself.
func inline(s string) string {
	s = plain(s)
	s = mention.ReplaceAllString(s, "@"+nothing+"$1")
	s = issue.ReplaceAllString(s, "$1"+nothing+"$2")
	s = github.ReplaceAllString(s, "$1"+nothing+"$2")
	s = scheme.ReplaceAllString(s, "$1"+nothing+":")
	s = www.ReplaceAllString(s, "www"+nothing+".")
	// Last, because an entity looks like an issue's number.
	return special.Replace(s)
}

// code shows a name or a command as code, where nothing but a backtick has a
// meaning (and a bar in a table); text that holds these is shown as text.
func code(s string) string {
	s = plain(s)
	if s == "" || strings.ContainsAny(s, "`|") {
		return inline(s)
	}
	return "`" + s + "`"
}

// codes are words as code, one after the other.
func codes(words []string) string {
	shown := make([]string, len(words))
	for i, w := range words {
		shown[i] = code(w)
	}
	return strings.Join(shown, " ")
}

// block shows a text of several lines as code, between fences that are longer than
// any row of backticks in it.
func block(s, language string) string {
	var lines []string
	longest := 2
	for line := range strings.Lines(strings.ReplaceAll(s, "\r", "\n")) {
		line = term.Style{Unicode: true}.Text(strings.TrimRight(line, "\n"))
		lines = append(lines, strings.TrimRight(line, " "))
		for _, run := range ticks.FindAllString(line, -1) {
			longest = max(longest, len(run))
		}
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.Join(lines, "\n") + "\n" + fence
}

var ticks = regexp.MustCompile("`+")
